"""The language model behind the service."""
