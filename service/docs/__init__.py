"""The API documentation that the service serves."""
