"""Commands for operators, and the probes that they use."""
