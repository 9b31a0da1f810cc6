"""A conversation whose reply is on its way, or whole, and its composer."""

from playwright.sync_api import Page

from tests.accessibility.stage import Stage, state
from tests.accessibility.states.forms import MORE_THAN_40, refuse
from tests.journeys.steps import TOO_LONG, box, say, say_too_early, text, turn
from tests.support.person import ended
from tests.support.upstream import TWINS


@state("turns.create")
def conversation_waiting(stage: Stage) -> Page:
    page = stage.heard("It steers.")
    say(page, "And then?")
    stage.upstream.next_call()
    turn(page, "waiting").wait_for()
    return page


@state("conversations.show")
def conversation_streaming(stage: Stage) -> Page:
    page = stage.talk()
    call = stage.upstream.next_call().start_stream()
    call.send_event(type="progress", stage="writing", percent=40)
    call.delta("It steers into the fall,")
    turn(page, "streaming").wait_for()
    return page


@state("conversations.show")
def conversation_streaming_without_script(stage: Stage) -> Page:
    stage.without_script()
    page = stage.talk()
    stage.upstream.next_call().start_stream().delta("It steers into the fall,")
    page.get_by_role("link", name="Watch it being written").click()
    turn(page, "streaming").wait_for()
    return page


@state("conversations.show")
def conversation_in_arabic(stage: Stage) -> Page:
    reply = "تبقى الدراجة **قائمة** لأنها تنعطف:\n\n- أولاً\n- ثانياً\n\n> اقتباس\n\n`code()`"
    return stage.heard(reply, words="كيف تبقى الدراجة قائمة؟")


@state("turns.create")
def composer_that_gives_words_back(stage: Stage) -> Page:
    page = stage.talk()
    stage.upstream.next_call()
    say_too_early(page, "too early")
    page.locator("#composer").get_by_role("alert").wait_for()
    return page


@state("conversations.show")
def words_that_were_not_sent(stage: Stage) -> Page:
    page = stage.heard("It steers.")
    address = page.url
    refuse(page, TOO_LONG)
    page.goto(address)
    page.get_by_role("button", name="Discard").wait_for()
    return page


@state("conversations.show", message_limit=40)
def edited_words_that_were_not_sent(stage: Stage) -> Page:
    page = stage.heard("It steers.")
    edited = page.get_by_role("button", name="Edit").get_attribute("value")
    address = f"{page.url}?words_of={edited}"
    page.goto(address)
    refuse(page, MORE_THAN_40)
    page.goto(address)
    page.get_by_role("button", name="Discard").wait_for()
    return page


@state("turns.discard", message_limit=40)
def words_that_were_let_go(stage: Stage) -> Page:
    page = stage.heard("It steers.")
    address = page.url
    refuse(page, MORE_THAN_40)
    page.goto(address)
    with page.expect_navigation():
        page.get_by_role("button", name="Discard").click()
    return page


@state("conversations.show")
def composer_when_few_requests_are_left(stage: Stage) -> Page:
    limits = {"x_ratelimit_remaining": "3", "x_ratelimit_limit": "500", "x_ratelimit_reset": "900"}
    with stage.somebody() as person:
        begun = person.begin("How does a bicycle stay upright?")
        stage.upstream.next_call().start_stream(**limits).complete("It steers.")
        path = ended(person, begun).path
    page = stage.open(path)
    page.get_by_text("left for everybody").wait_for()
    return page


@state("conversations.show")
def composer_of_a_portal_that_may_only_read(stage: Stage) -> Page:
    with stage.somebody() as person:
        begun = person.begin("How does a bicycle stay upright?")
        stage.upstream.next_call().respond(403, {"error": "no"})
        path = ended(person, begun).path
    page = stage.open(path)
    page.locator("#composer").get_by_text("may only read").wait_for()
    return page


@state("conversations.show", twins_cache=0.001)
def composer_of_a_twin_that_is_gone(stage: Stage) -> Page:
    page = stage.heard("It steers.")
    there = page.url
    stage.upstream.twins = TWINS[1:]
    page.goto("/")
    page.goto(there)
    page.get_by_text("not available any more").wait_for()
    return page


@state("conversations.show")
def conversation_offline(stage: Stage) -> Page:
    page = stage.heard("It steers.")
    stage.page.context.set_offline(True)
    box(page).fill("from a tunnel")
    box(page).press("Enter")
    page.locator("#notices").get_by_text("You are offline").wait_for()
    return page


@state("conversations.show")
def conversation_that_cannot_be_repeated_yet(stage: Stage) -> Page:
    page = stage.talk()
    stage.upstream.next_call().respond(500, {})
    turn(page, "failed").wait_for()
    say(page, "And then?")
    stage.upstream.next_call().start_stream().delta("It goes on")
    text(page).wait_for()
    turn(page, "failed").get_by_text("Retry").dispatch_event("click")
    page.locator("#notices").get_by_text("still replying").wait_for()
    return page
