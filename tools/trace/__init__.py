"""The path of one message and of one delta through the code, observed while it runs."""
