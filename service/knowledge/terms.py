"""Terms: the words of a text by which passages and questions are compared."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise

import snowballstemmer

from core.text_folding import find_terms, fold, is_unspaced

_POSSESSIVE = re.compile("['\u2019]s\\b")
# The names of Snowball's algorithms by the code of their language.
STEMMERS = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
# A question with more terms stands for itself; a shorter one may be about the question before it.
MAX_FOLLOW_UP_TERMS = 3
# Words that say nothing about the subject of an English question.
STOP_WORDS = frozenset(
    """a about actually after again ain all also always am an and another any anyone anything are
    aren as couldn didn doesn don hadn hasn haven isn ll re shouldn ve wasn weren wouldn
    ask at be because been before being between both but by bye can cannot cant come could
    did didnt do does doesnt doing done dont each either else even ever every exactly
    explain few for from get gets getting give go goes going gone goodbye got great had haha
    has have having he hello help her here hey hi him his hmm how i if im in into is isnt it
    its just kind know later let like lol lot lovely made make makes making many may me mean
    might more most much my myself nice no not now of off often oh ok okay on one only or
    other our out over own please pls quite really same say see shall she should so some
    someone something sorry still such take tell than thank thanks that the their them then
    there these they thing things think this those through thx to too up us use used uses
    using very want was way we well were what whats when where which while who whom whose
    why will with without wonder work working works would wow yeah yes you your youre""".split()  # noqa: SIM905
)

# Greetings and thanks in other languages that people try: nobody asks for a passage with them.
GREETINGS = frozenset(
    """beaucoup bitte bonjour bonsoir buenas buenos ciao coucou dank danke dankeschon gracias
    grazie hallo hola merci moin muchas obrigado salut schon servus sehr tschuss vielen
    مرحبا اهلا السلام عليكم شكرا こんにちは おはよう おはようございます ありがとう
    ありがとうございます""".split()  # noqa: SIM905
)

# Stems of messages such as "Cool!", which are words of questions elsewhere.
SMALL_TALK = frozenset(("awesom", "cool", "fine", "good", "help", "interest", "ok", "perfect"))

THANKS = frozenset(("thank", "thanks", "thx"))
QUESTION_WORDS = frozenset(
    "are can could do does how is should what when where which who why will".split()  # noqa: SIM905
)
MIN_QUESTION_WORDS = 4
_GOOD_DAY = re.compile(r"\bgood (?:afternoon|day|evening|morning|night)\b", re.IGNORECASE)

# Words in which questions that are otherwise word for word the same differ.
FILLERS = frozenset(
    """a actually also an and are but do does hello hey hi is just later myself now oh ok okay
    please pls so the then well""".split()  # noqa: SIM905
)

# Words that refer to what an English question before was about.
REFERENCES = frozenset("he her him his it its she that their them these they this those".split())  # noqa: SIM905

# The most common words of other languages that are no English words.
OTHER_LANGUAGES = frozenset(
    """auf como comment cual das dans der des die dois donde ein eine est fur gibt ich ist je kann
    les mich mit nicht ou para pourquoi puis que quel qui sind sur und une von warum wie wo zu
    cuando el esta los por quien su tu""".split()  # noqa: SIM905
)


def is_in_other_language(question: str) -> bool:
    """Return whether a question to an English twin is probably not English."""
    words = {match[0] for match in find_terms(fold(question))}
    has_latin_letters = any(word.isascii() and word.isalpha() for word in words)
    return bool(words) and (not has_latin_letters or len(words & OTHER_LANGUAGES) > 1)


def refers_to_earlier(question: str) -> bool:
    """Return whether an English question has a word that refers to an earlier one, such as "it"."""
    words = [match[0] for match in find_terms(fold(question))]
    return not REFERENCES.isdisjoint(words) and not _is_thanks(words)


def content_terms(text: str, language: str = "en") -> Sequence[str]:
    """Return the stems of the words of a text, in order, without greetings and English stop words.

    Terms of scripts without spaces are split into pairs of characters. Languages without a
    Snowball algorithm keep their words as they are.
    """
    code = language.split("-")[0].lower()
    terms: list[str] = []
    for match in find_terms(fold(_GOOD_DAY.sub("", _POSSESSIVE.sub("", text)))):
        term = match[0]
        if term in GREETINGS:
            continue
        if is_unspaced(term):
            terms += map("".join, pairwise(term)) if len(term) > 1 else [term]
        elif not (code == "en" and (term in STOP_WORDS or len(term) == 1)):
            terms.append(_stem(code, term))
    return terms


def question_terms(message: str, language: str = "en") -> frozenset[str]:
    """Return the terms of a message; none if it asks nothing, as "Cool!" or "Thanks, I see."."""
    terms = frozenset(content_terms(message, language))
    words = [match[0] for match in find_terms(fold(message))]
    return frozenset() if terms <= SMALL_TALK or _is_thanks(words) else terms


def _is_thanks(words: Sequence[str]) -> bool:
    return bool(words) and words[0] in THANKS and QUESTION_WORDS.isdisjoint(words)


def is_question(message: str) -> bool:
    """Return whether an English message ends with a question mark or begins like a question."""
    words = [match[0] for match in find_terms(fold(message))]
    return message.rstrip().endswith("?") or (bool(words) and words[0] in QUESTION_WORDS)


def is_long_question(message: str) -> bool:
    """Return whether an English message is a question of four words or more, not just "Why?"."""
    words = [match[0] for match in find_terms(fold(message))]
    return len(words) >= MIN_QUESTION_WORDS and not QUESTION_WORDS.isdisjoint(words)


def whole_question(message: str) -> str:
    """Return all words of a message as one term, to compare a question such as "Who are you?"."""
    words = (match[0] for match in find_terms(fold(_POSSESSIVE.sub("", message))))
    return "".join(f"+{word}" for word in words if word not in FILLERS)


@lru_cache(maxsize=100_000)
def _stem(code: str, word: str) -> str:
    stemmer = _stemmer(code)
    return str(stemmer.stemWord(word)) if stemmer else word


@cache
def _stemmer(code: str) -> snowballstemmer.stemmer | None:
    return snowballstemmer.stemmer(STEMMERS[code]) if code in STEMMERS else None
