"""Messages that suggest distress, which neither files nor a small model must answer."""

from __future__ import annotations

import re
from collections.abc import Mapping

from twindow.core.text_folding import fold

# Phrases without accents and capitals, as `fold` returns them.
_PHRASES = re.compile(
    r"\b(?:"
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
    r"|(?:mich (?:selbst )?umbringen|mir das leben nehmen|nicht mehr leben(?=\W*$)"
    r"|ich (?:will|mochte) sterben)"
    r"|(?:me suicider|me tuer(?=\W*$)|je veux mourir|envie de mourir|plus envie de vivre)"
    r"|(?:suicidarme|matarme|quiero morir(?:me)?(?=\W*$)|no quiero vivir|quitarme la vida)"
    r")|(?:اريد ان اموت|اقتل نفسي|انتحر|死にたい|自殺したい|消えてしまいたい)"
)
REPLIES: Mapping[str, str] = {
    "en": "I am sorry that you are going through this. I am only a program and cannot "
    "help with it, but a person can: please talk to somebody you trust, a doctor or a crisis line, "
    "or call the emergency number where you are if you are in danger.",
    "de": "Es tut mir leid, dass es Ihnen so geht. Ich bin nur ein Programm und kann "
    "dabei nicht helfen, ein Mensch aber schon: Bitte sprechen Sie mit jemandem, dem Sie "
    "vertrauen, mit einem Arzt oder einem Krisentelefon, oder rufen Sie bei Gefahr den Notruf an.",
    "fr": "Je suis désolé que vous traversiez cela. Je ne suis qu'un programme "
    "et je ne peux pas vous aider, mais quelqu'un le peut : parlez à une personne de "
    "confiance, à un médecin ou à une ligne d'écoute, ou appelez les urgences en cas de danger.",
    "es": "Siento que esté pasando por esto. Solo soy un programa y no "
    "puedo ayudarle, pero una persona sí: hable con alguien de confianza, con un médico o con una "
    "línea de crisis, o llame al número de emergencias si está en peligro.",
    "ar": "يؤسفني أنك تمر بهذا. لست سوى برنامج ولا أستطيع المساعدة، لكن إنسانًا يستطيع: "
    "تحدث إلى شخص تثق به أو إلى طبيب أو خط مساعدة، أو اتصل برقم الطوارئ إن كنت في خطر.",
    "ja": "つらい思いをされているのですね。私はプログラムで、お力になれませんが、"
    "人は力になれます。信頼できる人や医師、相談窓口に話してください。危険があるときは、緊急通報番号に電話してください。",
}


def suggests_distress(message: str) -> bool:
    """Return whether a message suggests that its author may harm themselves."""
    return bool(_PHRASES.search(" ".join(fold(message).split())))


def reply_to_distress(language: str) -> str:
    """Return the fixed reply in a language, such as `de` or `pt-BR`; English if it is not known."""
    return REPLIES.get(language.split("-")[0].lower(), REPLIES["en"])
