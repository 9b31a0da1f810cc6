"""Send a running reply to browsers."""
