"""Chaos tests: kill, drain and soak a real Twindow, and measure the effects."""
