"""Messages that suggest distress get a fixed reply; others do not."""

from __future__ import annotations

import pytest

from service.distress import reply_to_distress, suggests_distress


@pytest.mark.parametrize(
    "message",
    [
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
        "Ich will nicht mehr leben.",
        "Ich möchte sterben",
        "Je veux mourir.",
        "No quiero vivir así",
        "أريد أن أموت",
        "もう死にたい",
    ],
)
def test_message_that_suggests_distress_is_recognised(message: str):
    assert suggests_distress(message)


@pytest.mark.parametrize(
    "message",
    [
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
        "The character wants to die in the last act of the play.",
    ],
)
def test_near_miss_is_not_taken_for_distress(message: str):
    assert not suggests_distress(message)


def test_reply_is_in_the_language_of_the_twin():
    assert reply_to_distress("de-AT") == reply_to_distress("de") != reply_to_distress("pt")
    assert reply_to_distress("pt") == reply_to_distress("en")
