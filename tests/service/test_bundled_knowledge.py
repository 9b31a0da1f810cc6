"""The knowledge folders of the bundled twins."""

from __future__ import annotations

import re

import pytest

from twindow.core.settings import Settings
from twindow.paths import TWINS
from twindow.service.knowledge import KnowledgeIndex, find_answer, split_into_passages
from twindow.service.twins import Twin, parser

GUIDE = TWINS / "guide"


@pytest.fixture(scope="module")
def guide() -> Twin:
    return parser.load(TWINS / "guide.md", 0)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory, guide: Twin) -> KnowledgeIndex:
    index = KnowledgeIndex(tmp_path_factory.mktemp("index") / "knowledge.db", TWINS)
    index.update([guide])
    return index


def test_every_question_that_an_article_lists_is_answered_by_its_section(
    index: KnowledgeIndex, guide: Twin
):
    wrong = []
    for file in sorted(GUIDE.glob("*.md")):
        for passage in split_into_passages(file.read_text(), file.stem):
            for question in passage.questions:
                answer = find_answer(index, guide, question)
                if (answer.kind, answer.sources[0].heading) != ("certain", passage.heading):
                    wrong.append((question, passage.heading))

    assert wrong == []


def test_every_suggestion_of_the_guide_finds_a_passage(index: KnowledgeIndex, guide: Twin):
    starters = guide.front_matter.starters

    assert [q for q in starters if find_answer(index, guide, q).kind != "certain"] == []


def test_handbook_names_only_settings_that_exist():
    text = "".join(file.read_text() for file in GUIDE.glob("*.md"))
    names = {name.lower() for name in re.findall(r"TWINDOW_([A-Z_]+)", text)}

    assert names - set(Settings.__struct_fields__) == set()
