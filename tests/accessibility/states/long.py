"""A conversation of many turns: its newest page, and an older one."""

from playwright.sync_api import Page

from tests.accessibility.stage import Stage, state
from tests.person import ended

REPLY = "It **steers** into the fall:\n\n- first a little\n- then more\n\nSee `steer()`."


def _long(stage: Stage, turns: int) -> str:
    with stage.somebody() as person:
        page = person.begin("Question 1")
        for number in range(2, turns + 1):
            stage.upstream.next_call().begin().complete(REPLY)
            page = person.press(ended(person, page), "Send", content=f"Question {number}")
        stage.upstream.next_call().begin().complete(REPLY)
        return ended(person, page).path


@state("conversations.show", api_fair_share=1)
def conversation_long(stage: Stage) -> Page:
    return stage.open(_long(stage, 60))


@state("conversations.show", api_fair_share=1)
def conversation_long_before(stage: Stage) -> Page:
    page = stage.open(_long(stage, 25))
    page.get_by_role("link", name="Earlier turns").click()
    page.locator(".turn__said").filter(has_text="Question 5").wait_for()
    return page
