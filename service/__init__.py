"""The service: a reference implementation of the Conversational AI Twin Service Interface.

This file imports nothing: `python -m service` must let gevent patch the standard library first.
"""
