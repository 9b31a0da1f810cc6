"""HTTP concerns of every response: htmx, errors, headers and sessions."""
