"""The twins of the service: list, recent use and avatars."""
