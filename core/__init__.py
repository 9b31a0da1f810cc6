"""What portal and service share. Imports nothing else of ours."""
