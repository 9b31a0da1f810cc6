"""Tests of the script modules, without a page."""
