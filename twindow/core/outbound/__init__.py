"""Requests to other servers: connections, responses and the waits that servers ask for."""
