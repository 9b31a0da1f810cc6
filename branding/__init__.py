"""What a portal wears: its colours, its logo, its links. Pure values, checked; imports nothing."""
