"""Chaos tests: kill, drain, attack, soak and fuzz a real Twindow, and count what was kept."""
