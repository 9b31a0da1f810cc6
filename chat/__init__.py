"""Our own domain: people's conversations with twins, their turns, and the log of each reply."""
