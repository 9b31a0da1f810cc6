"""The operator's branding: colours, logo and links as checked values."""
