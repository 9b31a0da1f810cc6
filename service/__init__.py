"""The service: a reference implementation of the Conversational AI Twin Service Interface.

Nothing is imported here: `python -m service` must patch the standard library first.
"""
