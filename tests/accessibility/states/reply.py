"""Replies with every kind of Markdown, also unfinished ones, and the ends of replies."""

from playwright.sync_api import Page

from tests.accessibility.environment import Environment, state
from tests.support.page_steps import reply_text, turn

CODE = """\
```python
# How far it turns, for a lean and a speed
def steer(lean: float, speed: float, trail: float = 0.06, hands: bool = False) -> float:
    return lean / max(speed, 0.1) * trail if hands else print("no", None)
```

```diff
- lean = 1
+ lean = 2
```

```
plain text
```
"""
FORMULA = (
    r"\int_0^1 f(x)\,dx = \sum_{i=1}^n \sqrt{\frac{a_i + b_i + c_i + d_i}{2}}"
    r" + \int_0^1 g(y)\,dy + \int_0^1 h(z)\,dz"
)
RICH = f"""\
[1]: https://a-very-long-name-of-a-host-that-nobody-would-choose.example.org/feel

# A bicycle stays upright

It *steers* into the **fall**, as [the papers](https://example.org/a) say[^1], and as
<https://example.org/b> does. See also [how it feels][1] and `steer()`.

## How

1. It leans.
2. The front wheel turns; `steer()` is called.
   - a little at first
   - then more
3. It comes back.

   Not at once.

- [x] ride
- [ ] fall

> Nobody has ever ridden a bicycle that cannot be steered.
>
> Many have tried.

| part | what it does | how far it goes when the rider lets go of everything | cost |
|---|---|---|--:|
| `wheel` | turns | far | 1.50 |
| rider | leans | not far, but uninterruptedly | 120.00 |

{CODE}
The angle is $\\theta = \\frac{{v^2}}{{r g}}$, and in all

$${FORMULA}$$

---

### In short

~~Gyroscopes~~ Steering keeps it up[^2].
averyverylongwordwithoutanyspacethatdoesnotfitintoanarrowwindow

[^1]: Whipple, *The stability of the motion of a bicycle*, 1899.
[^2]: With hands or without.
"""


def _open_streaming_reply(env: Environment, markdown: str, visible_text: str) -> Page:
    page = env.send_first_message("Tell me all of it")
    env.upstream.next_call().start_stream().delta(markdown)
    turn(page, "streaming").get_by_text(visible_text).wait_for()
    return page


@state("conversations.show")
def reply_rich(env: Environment) -> Page:
    """Reach a complete reply that the script has assembled from two deltas."""
    page = env.send_first_message("Why?\n```js\nf(\n)\n```\nThanks")
    call = env.upstream.next_call().start_stream()
    call.delta(RICH[: len(RICH) // 2])
    reply_text(page).locator("td").first.wait_for()
    call.delta(RICH[len(RICH) // 2 :])
    call.complete(RICH)
    turn(page, "complete").wait_for()
    page.locator("[role=doc-backlink][aria-label]").first.wait_for()
    return page


@state("conversations.show", nightly=True)
def reply_rich_loaded(env: Environment) -> Page:
    return env.open_conversation(RICH)


@state("conversations.show", nightly=True)
def reply_with_unfinished_list(env: Environment) -> Page:
    steps = "\n".join(f"{each}. Step {each} leads a little further on." for each in range(1, 41))
    return _open_streaming_reply(env, f"It goes like this:\n\n{steps}\n41. And th", "And th")


@state("conversations.show")
def reply_with_unfinished_code(env: Environment) -> Page:
    lines = "\n".join(f"wheel.turn({each}, slowly=True)" for each in range(40))
    return _open_streaming_reply(env, f"Run this:\n\n```python\n{lines}\nwheel.st", "wheel.st")


@state("conversations.show")
def reply_that_quotes_files(env: Environment) -> Page:
    source = {"file": "bread.md", "heading": "Why bread rises", "passage": "Yeast makes gas."}
    page = env.send_first_message()
    call = env.upstream.next_call().start_stream()
    call.send_event(type="complete", message={"content": "Yeast makes gas.", "sources": [source]})
    call.close()
    page.locator(".turn__source").wait_for()
    page.get_by_role("textbox", name="Message").fill("And then?")
    page.get_by_role("button", name="Send").click()
    call = env.upstream.next_call().start_stream()
    call.send_event(type="complete", message={"content": "It bakes.", "sources": [source] * 2})
    call.close()
    page.locator(".sources summary").first.click()
    return page


@state("turns.cancel")
def reply_stopped(env: Environment) -> Page:
    page = env.send_first_message()
    env.upstream.next_call().start_stream().delta("It steers")
    turn(page, "streaming").wait_for()
    page.get_by_role("button", name="Stop").click()
    turn(page, "stopped").wait_for()
    return page


@state("conversations.show")
def reply_failed(env: Environment) -> Page:
    page = env.send_first_message()
    env.upstream.next_call().respond(500, {"error": "boom"})
    turn(page, "failed").wait_for()
    return page


@state("conversations.show")
def reply_rate_limited(env: Environment) -> Page:
    page = env.send_first_message()
    env.upstream.next_call().respond(429, {}, retry_after="1830")
    turn(page, "failed").get_by_text("Try again in").wait_for()
    return page


@state("conversations.show", nightly=True)
def reply_interrupted(env: Environment) -> Page:
    page = env.send_first_message()
    call = env.upstream.next_call().start_stream()
    call.delta("It steers into")
    call.close()
    turn(page, "interrupted").wait_for()
    return page


@state("conversations.show")
def reply_of_missing_conversation(env: Environment) -> Page:
    page = env.open_conversation("It steers.")
    page.get_by_role("textbox", name="Message").fill("And then?")
    page.get_by_role("button", name="Send").click()
    env.upstream.next_call().respond(404, {"error": "no such conversation"})
    turn(page, "failed").wait_for()
    return page
