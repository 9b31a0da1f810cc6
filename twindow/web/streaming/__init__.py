"""Streaming of running replies to browsers."""
