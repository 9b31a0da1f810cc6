"""The API documentation that the service serves."""

from service.docs import pages

__all__ = [
    "pages",
]
