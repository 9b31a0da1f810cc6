"""What templates need to show a conversation, its composer and the list."""
