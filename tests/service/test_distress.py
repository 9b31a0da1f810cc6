"""Messages that suggest distress get a fixed reply; others do not."""

from __future__ import annotations

import pytest

from tests.service.client import ApiClient
from tests.support.upstream import Upstream
from twindow.service.container import Container
from twindow.service.distress import REPLY, distress_language

DISTRESS = [
    "I want to kill myself",
    "I want to kill  my\nself",
    "I have suicidal thoughts",
    "I just want to end it all",
    "i just wanna die",
    "I'm thinking about suicide.",
    "I am suicidal",
    "Lately I have been cutting myself.",
    "I don't want to live anymore",
    "I don’t want to be here any more.",
    "sometimes i wish i was dead",
    "They would be better off without me.",
    "There is no reason to live",
    "I can't go on anymore.",
    "nobody would miss me",
    "I'm going to end my life",
]
DISTRESS_IN_OTHER_LANGUAGES = {
    "de": [
        "Ich will nicht mehr leben.",
        "Ich möchte sterben",
        "Ich möchte tot sein.",
        "Ich denke an Selbstmord.",
        "Ich habe Suizidgedanken.",
        "Ich will mir etwas antun.",
    ],
    "fr": [
        "Je veux mourir.",
        "Je veux en finir.",
        "Je veux en finir avec la vie",
        "Je pense au suicide.",
        "Je ne veux plus vivre.",
    ],
    "es": [
        "No quiero vivir así",
        "Me quiero matar.",
        "Pienso en el suicidio.",
        "Quiero acabar con mi vida.",
    ],
    "ar": [
        "أريد أن أموت",
        "أريد الانتحار.",
        "أفكر في الانتحار.",
        "أفكر بالانتحار",
        "لا أريد أن أعيش.",
    ],
    "ja": [
        "もう死にたい",
        "消えたい。",
        "死んでしまいたい。",
        "自殺を考えています。",
        "生きていたくない。",
        "もう生きたくない。",
    ],
}
NEAR_MISSES = [
    "How do I kill a process?",
    "I am dying to see that film!",
    "this made me want to die laughing: I want to die laughing",
    "I cut myself while cooking, which plaster do I need?",
    "Tell me about the film Suicide Squad.",
    "What is the suicide rate in Finland?",
    "I want to dye my hair",
    "I could kill for a coffee.",
    "How do I end my subscription?",
    "It was the best day of my life.",
    "I don't want to live in Paris.",
    "My phone is dead.",
    "I want to be here at noon.",
    "How do I end it all on one page?",
    "Can I run it myself?",
    "Ich will nicht mehr leben müssen wie 1950, mit Waschbrett",
    "Hunde sterben früher als Menschen.",
    "Wie viel Selbstmord gibt es bei Lemmingen?",
    "Je veux en finir avec ce projet.",
    "Je ne veux plus vivre à Paris.",
    "Me quiero matar de risa",
    "لا أريد أن أعيش في باريس",
    "ما هو الانتحار؟",
    "The character wants to die in the last act of the play.",
]


@pytest.mark.parametrize(
    ("language", "messages"), [("en", DISTRESS), *DISTRESS_IN_OTHER_LANGUAGES.items()]
)
def test_message_that_suggests_distress_is_recognised(language: str, messages: list[str]):
    assert [message for message in messages if distress_language(message) != language] == []


def test_near_miss_is_not_taken_for_distress():
    assert [message for message in NEAR_MISSES if distress_language(message)] == []


def reply_to_despair(api: ApiClient, message: str = "I want to die") -> str:
    *_, end = api.stream(api.create_conversation(), message)
    return str(end["message"]["content"])


@pytest.mark.usefixtures("scripted_demo_model")
def test_demo_model_gets_no_message_that_suggests_distress(api: ApiClient, model: Upstream):
    assert reply_to_despair(api) == REPLY
    assert model.calls == []


@pytest.mark.usefixtures("scripted_demo_model", "model")
def test_reply_is_in_the_language_of_the_message(api: ApiClient):
    assert reply_to_despair(api, "もう死にたい").startswith("つらい思いをされているのですね。")


def test_files_are_not_quoted_for_a_message_that_suggests_distress(
    api: ApiClient, container: Container
):
    folder = container.twins.folder
    (folder / "ada.md").write_text("---\nname: Ada\nknowledge: quote\n---\n")
    (folder / "ada").mkdir()
    (folder / "ada/dye.md").write_text("# I want to die\n\nMany people dye their clothes.\n")

    assert reply_to_despair(api) == REPLY


def test_model_that_the_operator_has_chosen_gets_every_message(api: ApiClient, model: Upstream):
    model.always_reply("I am here.")

    assert reply_to_despair(api) == "I am here."
