"""Recording of the functions that handle one message and one delta."""
