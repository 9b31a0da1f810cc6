"""Chaos tests: kill, drain, attack, soak and fuzz a real Twindow, and measure the effects."""
