"""Tests of static/: the state machines of the scripts, and script modules as they are served."""
