"""API documentation: OpenAPI document and HTML page."""

from service.docs import pages

__all__ = [
    "pages",
]
