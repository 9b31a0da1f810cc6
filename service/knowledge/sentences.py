"""Sentences of replies from knowledge, in the language of the twin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

SentenceName = Literal["choices", "unknown", "no_files", "not_in_files"]

SENTENCES: Mapping[str, Mapping[SentenceName, str]] = {
    "en": {
        "choices": "Which of these do you mean?",
        "unknown": "I don't know that. Perhaps one of these helps:",
        "no_files": "I don't know anything yet: my knowledge folder is empty.",
        "not_in_files": "My files say nothing about this.",
    },
    "de": {
        "choices": "Was davon ist gemeint?",
        "unknown": "Das weiß ich nicht. Vielleicht hilft eines davon:",
        "no_files": "Ich weiß noch nichts: Mein Wissensordner ist leer.",
        "not_in_files": "In meinen Dateien steht dazu nichts.",
    },
    "fr": {
        "choices": "Lequel de ces sujets est le bon ?",
        "unknown": "Je ne le sais pas. L'un de ces passages aidera peut-être :",
        "no_files": "Je ne sais encore rien : mon dossier de connaissances est vide.",
        "not_in_files": "Mes fichiers n'en disent rien.",
    },
    "es": {
        "choices": "¿Cuál de estos temas es el correcto?",
        "unknown": "No lo sé. Quizá ayude uno de estos pasajes:",
        "no_files": "Todavía no sé nada: mi carpeta de conocimientos está vacía.",
        "not_in_files": "Mis archivos no dicen nada sobre esto.",
    },
    "ar": {
        "choices": "أيّ من هذه تقصد؟",
        "unknown": "لا أعرف ذلك. ربما يفيد أحد هذه المقاطع:",
        "no_files": "لا أعرف شيئًا بعد: مجلد معرفتي فارغ.",
        "not_in_files": "لا تذكر ملفاتي شيئًا عن هذا.",
    },
    "ja": {
        "choices": "次のどれについてですか。",
        "unknown": "それはわかりません。次のどれかが役に立つかもしれません。",
        "no_files": "まだ何も知りません。知識フォルダーが空です。",
        "not_in_files": "私のファイルにはこれについて何も書かれていません。",
    },
}


def sentence(name: SentenceName, language: str) -> str:
    """Return a sentence in a language, such as `de` or `pt-BR`; in English if it is not known."""
    return SENTENCES.get(language.split("-")[0].lower(), SENTENCES["en"])[name]
