"""API documentation: the OpenAPI document."""

from twindow.service.docs.document import bp

__all__ = ["bp"]
