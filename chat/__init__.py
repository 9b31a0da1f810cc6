"""The domain: conversations, turns and replies. No Flask, no requests."""
