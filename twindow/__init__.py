"""Twindow: a web chat portal for AI twins, and a reference implementation of their service.

This file imports nothing: gevent must patch the standard library first.
"""
