"""API documentation: the OpenAPI document."""

from service.docs import document

__all__ = [
    "document",
]
