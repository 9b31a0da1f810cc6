"""API documentation: the OpenAPI document."""
