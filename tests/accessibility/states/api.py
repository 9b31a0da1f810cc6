"""The document of the service."""

from playwright.sync_api import Page

from tests.accessibility.stage import Stage, state


@state("", api_url=None, api_key="")
def api_document(stage: Stage) -> Page:
    return stage.open("/api/v1/docs")
