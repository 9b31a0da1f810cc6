"""The person of a request: who they are, and what they may see."""
