"""Streaming of running replies to browsers, and the HTML of finished ones."""
