"""Styles, scripts and generated images."""
