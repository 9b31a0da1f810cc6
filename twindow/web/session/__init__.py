"""The session of a browser: its cookies, its row, what it contains, and its sign-in."""
