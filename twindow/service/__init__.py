"""The service: a reference implementation of the Conversational AI Twin Service Interface.

This file imports nothing: gevent must patch the standard library first.
"""
