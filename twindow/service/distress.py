"""Messages that suggest distress, which neither files nor a small model must answer."""

from __future__ import annotations

import re

from twindow.core.languages import N_
from twindow.core.text_folding import fold

# Phrases of each language without accents and capitals, as `fold` returns them.
_PHRASES = re.compile(
    r"(?P<en>\b(?:"
    r"(?:kill|killing|hurt|hurting|harm|harming) my ?self\b(?!-|ed|ing)"
    r"|(?:cut|cutting) myself(?! (?:off|out|some|a |an |while|when|on|short|loose|shaving|cooking))"
    r"|(?:end|ending|take|taking) my (?:own )?life(?! to|\W+into)"
    r"|i(?: am|.?m)? (?:feel(?:ing)? |think(?:ing)? (?:about|of) )?suicid(?:al|e)\b(?! squad)"
    r"|suicidal thoughts"
    r"|i (?:just |really |only )?(?:want to|wanna) end it all"
    r"|commit(?:ting)? suicide"
    r"|i (?:just |really |only )?(?:want to|wanna) die\b(?! (?:laughing|of laughter|my hair))"
    r"|i (?:just |really )?(?:do not|don.?t) want to (?:live|be alive|be here|exist|wake up)"
    r"(?: any ?more)?(?=\W*$)"
    r"|i wish i (?:was|were) (?:dead|never born)"
    r"|(?:better off|be better) (?:dead|without me)"
    r"|no (?:reason|point) (?:to live|in living|to go on)"
    r"|i can(?:not|.?t) (?:go on|take it|take this) any ?more"
    r"|i (?:self.?harm|am harming myself)"
    r"|(?:nobody|no one) (?:would|will) (?:miss me|care if i)"
    r"))|(?P<de>\b(?:"
    r"mich (?:selbst )?umbringen|mir das leben nehmen|mir (?:et)?was antun|nicht mehr leben(?=\W*$)"
    r"|ich (?:will|mochte) (?:sterben|tot sein)|ich denke an (?:selbstmord|suizid)"
    r"|(?:selbstmord|suizid)gedanken"
    r"))|(?P<fr>\b(?:"
    r"me suicider|me tuer(?=\W*$)|je veux mourir|envie de mourir|plus envie de vivre"
    r"|je (?:ne )?veux plus vivre(?=\W*$)|je veux en finir(?=\W*$| avec la vie)|je pense au suicide"
    r"))|(?P<es>\b(?:"
    r"suicidarme|matarme|quiero morir(?:me)?(?=\W*$)|no quiero vivir|quitarme la vida"
    r"|me quiero matar(?! de)|acabar con mi vida|pienso en el suicidio"
    r"))|(?P<ar>"
    r"اريد ان اموت|اقتل نفسي|انتحر|اريد الانتحار|افكر (?:في |ب)الانتحار|لا اريد ان اعيش(?=\W*$)"
    r")|(?P<ja>"
    r"死にたい|死んでしまいたい|自殺したい|自殺を考え|消えたい|消えてしまいたい|生きたくない|生きていたくない"
    r")"
)
REPLY = N_(
    "I am sorry that you are going through this. I am only a program and cannot help with it, but "
    "a person can: please talk to somebody you trust, a doctor or a crisis line, or call the "
    "emergency number where you are if you are in danger."
)


def distress_language(message: str) -> str:
    """Return the language of a phrase that suggests that its author may harm themselves, or ""."""
    found = _PHRASES.search(" ".join(fold(message).split()))
    return (found.lastgroup or "") if found else ""
