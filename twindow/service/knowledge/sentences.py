"""Sentences of replies from knowledge, in the language of the twin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

SentenceName = Literal["may_answer", "topics", "no_files", "not_in_files"]

SENTENCES: Mapping[str, Mapping[SentenceName, str]] = {
    "en": {
        "may_answer": "This may answer it:",
        "topics": "I can only answer from my files. They are about, for example:",
        "no_files": "I don't know anything yet: my knowledge folder is empty.",
        "not_in_files": "My files say nothing about this.",
    },
    "de": {
        "may_answer": "Das könnte die Antwort sein:",
        "topics": "Ich kann nur aus meinen Dateien antworten. Darin geht es zum Beispiel um:",
        "no_files": "Ich weiß noch nichts: Mein Wissensordner ist leer.",
        "not_in_files": "In meinen Dateien steht dazu nichts.",
    },
    "fr": {
        "may_answer": "Voici peut-être la réponse\u00a0:",
        "topics": "Je ne réponds qu\u2019à partir de mes fichiers. "
        "Ils traitent par exemple de\u00a0:",
        "no_files": "Je ne sais encore rien\u00a0: mon dossier de connaissances est vide.",
        "not_in_files": "Mes fichiers n\u2019en disent rien.",
    },
    "es": {
        "may_answer": "Esta puede ser la respuesta:",
        "topics": "Solo puedo responder con mis archivos. Tratan, por ejemplo, de:",
        "no_files": "Todavía no sé nada: mi carpeta de conocimientos está vacía.",
        "not_in_files": "Mis archivos no dicen nada sobre esto.",
    },
    "ar": {
        "may_answer": "قد تكون هذه هي الإجابة:",
        "topics": "لا أستطيع أن أجيب إلا من ملفاتي. وهي تتناول مثلًا:",
        "no_files": "لا أعرف شيئًا بعد: مجلد معرفتي فارغ.",
        "not_in_files": "لا تذكر ملفاتي شيئًا عن هذا.",
    },
    "ja": {
        "may_answer": "次の内容が答えかもしれません。",
        "topics": "私はファイルの内容からのみ答えられます。たとえば次のようなことです。",
        "no_files": "まだ何も知りません。知識フォルダーが空です。",
        "not_in_files": "私のファイルにはこれについて何も書かれていません。",
    },
}


def sentence(name: SentenceName, language: str) -> str:
    """Return a sentence in a language, such as `de` or `pt-BR`; in English if it is not known."""
    return SENTENCES.get(language.split("-")[0].lower(), SENTENCES["en"])[name]
