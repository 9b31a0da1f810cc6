"""Messages that suggest distress, which neither files nor a small model must answer."""

from __future__ import annotations

import re
from collections.abc import Mapping

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
REPLIES: Mapping[str, str] = {
    "en": "I am sorry that you are going through this. I am only a program and cannot "
    "help with it, but a person can: please talk to somebody you trust, a doctor or a crisis line, "
    "or call the emergency number where you are if you are in danger.",
    "de": "Es tut mir leid, dass es Ihnen so geht. Ich bin nur ein Programm und kann "
    "dabei nicht helfen, ein Mensch aber schon: Bitte sprechen Sie mit jemandem, dem Sie "
    "vertrauen, mit einer Ärztin, einem Arzt oder der Telefonseelsorge. Wählen Sie bei Gefahr "
    "den Notruf.",
    "fr": "Je suis désolé que vous traversiez cela. Je ne suis qu\u2019un programme "
    "et je ne peux pas vous aider, mais quelqu\u2019un le peut\u00a0: parlez à une personne de "
    "confiance, à un médecin ou à une ligne d\u2019écoute, ou appelez les urgences en cas "
    "de danger.",
    "es": "Siento que estés pasando por esto. Solo soy un programa y no "
    "puedo ayudarte, pero una persona sí: habla con alguien de confianza, con un médico o con un "
    "teléfono de ayuda, o llama al número de emergencias si estás en peligro.",
    "ar": "يؤسفني أنك تمر بهذا. لست سوى برنامج ولا أستطيع المساعدة، لكن هناك من يستطيع مساعدتك: "
    "يُرجى التحدث إلى شخص موثوق أو طبيب أو خط مساعدة، والاتصال برقم الطوارئ عند وجود خطر.",
    "ja": "つらい思いをされているのですね。私はプログラムで、お力になれませんが、"
    "話を聞いてくれる人がいます。信頼できる人や医師、相談窓口に話してください。"
    "危険があるときは、緊急通報番号に電話してください。",
}


def distress_language(message: str) -> str:
    """Return the language of a phrase that suggests that its author may harm themselves, or ""."""
    found = _PHRASES.search(" ".join(fold(message).split()))
    return (found.lastgroup or "") if found else ""
