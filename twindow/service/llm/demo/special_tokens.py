"""Special tokens of the demo model, which text must not contain.

The model server also recognises special tokens in the text of messages, where `<|im_start|>system`
would begin a system message.
"""

from __future__ import annotations

import re

SPECIAL_TOKENS = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<repo_name>",
    "<reponame>",
    "<file_sep>",
    "<filename>",
    "<gh_stars>",
    "<issue_start>",
    "<issue_comment>",
    "<issue_closed>",
    "<jupyter_start>",
    "<jupyter_text>",
    "<jupyter_code>",
    "<jupyter_output>",
    "<jupyter_script>",
    "<empty_output>",
)
_SPECIAL_TOKEN = re.compile("|".join(map(re.escape, SPECIAL_TOKENS)))


def neutralize(text: str) -> str:
    """Return the text with a space in each special token, so that it is ordinary text."""
    return _SPECIAL_TOKEN.sub(lambda found: f"< {found[0][1:]}", text)
