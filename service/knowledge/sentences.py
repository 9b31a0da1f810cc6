"""Sentences of replies from knowledge, in the language of the twin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

SentenceName = Literal[
    "choices",
    "possible",
    "nearest",
    "distant",
    "unknown",
    "anything_else",
    "no_files",
    "not_in_files",
]

SENTENCES: Mapping[str, Mapping[SentenceName, str]] = {
    "en": {
        "choices": "Which of these do you mean?",
        "possible": "I am not sure, but this may answer it:",
        "nearest": "I found no exact answer. The nearest in my files:",
        "distant": "I don't think my files answer that. Perhaps one of these helps:",
        "unknown": "I have no passage about that. I can answer, for example:",
        "anything_else": "What else would you like to know? I can answer, for example:",
        "no_files": "I don't know anything yet: my knowledge folder is empty.",
        "not_in_files": "My files say nothing about this.",
    },
    "de": {
        "choices": "Was davon ist gemeint?",
        "possible": "Ich bin nicht sicher, aber das könnte die Antwort sein:",
        "nearest": "Ich habe keine genaue Antwort gefunden. Am nächsten kommt:",
        "distant": "Darauf antworten meine Dateien wohl nicht. Vielleicht hilft davon etwas:",
        "unknown": "Dazu habe ich keinen Abschnitt. Antworten kann ich zum Beispiel darauf:",
        "anything_else": "Was möchten Sie noch wissen? Antworten kann ich zum Beispiel darauf:",
        "no_files": "Ich weiß noch nichts: Mein Wissensordner ist leer.",
        "not_in_files": "In meinen Dateien steht dazu nichts.",
    },
    "fr": {
        "choices": "Lequel de ces sujets est le bon ?",
        "possible": "Je ne suis pas sûr, mais voici peut-être la réponse :",
        "nearest": "Je n'ai pas trouvé de réponse exacte. Le plus proche dans mes fichiers :",
        "distant": "Je ne crois pas que mes fichiers répondent à cela. Peut-être l'un de ceux-ci :",
        "unknown": "Je n'ai pas de passage à ce sujet. Je peux répondre, par exemple, sur :",
        "anything_else": "Que voulez-vous savoir d'autre ? Je peux répondre, par exemple, sur :",
        "no_files": "Je ne sais encore rien : mon dossier de connaissances est vide.",
        "not_in_files": "Mes fichiers n'en disent rien.",
    },
    "es": {
        "choices": "¿Cuál de estos temas es el correcto?",
        "possible": "No estoy seguro, pero esta puede ser la respuesta:",
        "nearest": "No he encontrado una respuesta exacta. Lo más cercano en mis archivos:",
        "distant": "No creo que mis archivos respondan a eso. Quizá alguno de estos:",
        "unknown": "No tengo ningún pasaje sobre eso. Puedo responder, por ejemplo, sobre:",
        "anything_else": "¿Qué más quieres saber? Puedo responder, por ejemplo, sobre:",
        "no_files": "Todavía no sé nada: mi carpeta de conocimientos está vacía.",
        "not_in_files": "Mis archivos no dicen nada sobre esto.",
    },
    "ar": {
        "choices": "أيّ من هذه تقصد؟",
        "possible": "لست متأكدًا، لكن قد تكون هذه هي الإجابة:",
        "nearest": "لم أجد إجابة دقيقة. الأقرب في ملفاتي:",
        "distant": "لا أظن أن ملفاتي تجيب عن ذلك. ربما يفيد أحد هذه:",
        "unknown": "ليس لدي مقطع عن ذلك. يمكنني أن أجيب مثلًا عن:",
        "anything_else": "ماذا تريد أن تعرف أيضًا؟ يمكنني أن أجيب مثلًا عن:",
        "no_files": "لا أعرف شيئًا بعد: مجلد معرفتي فارغ.",
        "not_in_files": "لا تذكر ملفاتي شيئًا عن هذا.",
    },
    "ja": {
        "choices": "次のどれについてですか。",
        "possible": "確かではありませんが、次の内容が答えかもしれません。",
        "nearest": "ぴったりの答えは見つかりませんでした。近い内容は次のとおりです。",
        "distant": "それに答える内容はファイルにないようです。次のどれかが近いかもしれません。",
        "unknown": "それについての記述はありません。たとえば次のことなら答えられます。",
        "anything_else": "ほかに知りたいことはありますか。たとえば次のことなら答えられます。",
        "no_files": "まだ何も知りません。知識フォルダーが空です。",
        "not_in_files": "私のファイルにはこれについて何も書かれていません。",
    },
}

# For a question in another language to an English twin.
ENGLISH_ONLY = "My files are in English. I can answer, for example:"


def sentence(name: SentenceName, language: str) -> str:
    """Return a sentence in a language, such as `de` or `pt-BR`; in English if it is not known."""
    return SENTENCES.get(language.split("-")[0].lower(), SENTENCES["en"])[name]
