"""API documentation: the OpenAPI document."""

from service.docs.document import bp

__all__ = ["bp"]
