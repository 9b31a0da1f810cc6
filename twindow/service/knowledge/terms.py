"""Terms: the words of a text, by which passages are found."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence, Set
from functools import cache, lru_cache
from itertools import pairwise

import snowballstemmer
from babel import Locale, UnknownLocaleError

from twindow.core.text_folding import find_terms, fold, is_unspaced

_POSSESSIVE = re.compile("['\u2019]s\\b")
# Words that say nothing about the subject of an English question.
STOP_WORDS = frozenset(
    """a about above actually after again against ain all also always am an and another any
    anyone anything are aren as ask at be because been before below between both but by bye can
    cannot cant come could couldn did didn didnt do does doesn doesnt don done dont during each
    either else even ever every exactly explain few for from get give go goes gone goodbye got
    great had hadn haha has hasn have haven he hello help her here hey hi him his hmm how i if
    im in into is isn isnt it just kind know later let like ll lol lot lovely made make many may
    me mean might more most much my myself nice no not now of off often oh ok okay on one only
    or other our out over own per please pls quite re really same say see shall she should
    shouldn since so some someone something sorry still such take tell than thank that the their
    them then there these they thing think this those through thx to too under until up us use
    ve very want was wasn way we well were weren what when where which while who whom whose why
    will with without wonder work would wouldn wow yeah yes you your""".split()  # noqa: SIM905
)
# Words that refer to what an English question before was about.
REFERENCES = frozenset("he her him his it its she that their them these they this those".split())  # noqa: SIM905


def stems(text: str, language: str) -> Sequence[str]:
    """Return the stems of the words of a text, in order.

    Words of scripts without spaces are split into pairs of characters. Languages without a Snowball
    algorithm keep their words as they are.
    """
    terms: list[str] = []
    for word in _words(text):
        if is_unspaced(word):
            terms += map("".join, pairwise(word)) if len(word) > 1 else [word]
        else:
            terms.append(_stem(_code(language), word))
    return terms


def question_terms(message: str, language: str) -> Sequence[str]:
    """Return the different stems of a message, without English stop words."""
    terms = dict.fromkeys(stems(message, language))
    if not _is_english(language):
        return list(terms)
    return [term for term in terms if len(term) > 1 and term not in _stop_terms()]


def refers_to_earlier(message: str, language: str) -> bool:
    """Return whether an English message has a word that refers to an earlier one, such as "it"."""
    return _is_english(language) and not REFERENCES.isdisjoint(_words(message))


def names_subject(message: str, language: str) -> bool:
    """Return whether a message says what it is about; "Why?" and "Is it safe?" do not."""
    has_terms = bool(question_terms(message, language))
    return has_terms and not refers_to_earlier(message, language)


def whole_question(message: str) -> str:
    """Return one term for all words of a message, to compare questions word for word."""
    return hashlib.sha256(" ".join(_words(message)).encode()).hexdigest()


@cache
def _stop_terms() -> Set[str]:
    return STOP_WORDS.union(stems(" ".join(STOP_WORDS), "en"))


def _is_english(language: str) -> bool:
    return _code(language) == "en"


def _code(language: str) -> str:
    return language.partition("-")[0].lower()


def _words(text: str) -> Iterator[str]:
    return (match[0] for match in find_terms(fold(_POSSESSIVE.sub("", text))))


@lru_cache(maxsize=100_000)
def _stem(code: str, word: str) -> str:
    stemmer = _stemmer(code)
    return str(stemmer.stemWord(word)) if stemmer else word


@cache
def _stemmer(code: str) -> snowballstemmer.stemmer | None:
    try:
        return snowballstemmer.stemmer(str(Locale(code).english_name).lower())
    except (UnknownLocaleError, ValueError, KeyError):
        return None
