"""The API documentation of the service."""

from playwright.sync_api import Page

from tests.accessibility.environment import Environment, state


@state("", api_url=None, api_key="")
def api_document(env: Environment) -> Page:
    return env.open("/api/v1/docs")
