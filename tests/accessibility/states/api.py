"""The API documentation of the service."""

from playwright.sync_api import Page

from service.api.routes import operations
from service.docs import pages
from tests.accessibility.environment import Environment, state

SHOWN_OPERATIONS = {"list_twins", "send_message", "stream_message", "revoke_key"}


@state("", api_url=None, api_key="")
def api_document(env: Environment) -> Page:
    """Reach the document with a few operations; all others have the same elements."""
    shown = [each for each in operations.all if each.name in SHOWN_OPERATIONS]
    env.patch.setattr(operations, "all", shown)
    for build in (pages._build_openapi_json, pages._build_page):
        env.patch.setattr(pages, build.__name__, build.__wrapped__)
    return env.open("/api/v1/docs")
