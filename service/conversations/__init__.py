"""Conversations, messages and the replies that are being written."""
