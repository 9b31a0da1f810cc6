"""Twins are files: a change takes effect at once, and an invalid file affects no other twin."""

from __future__ import annotations

import logging
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from flask import Flask

from tests.service.conftest import TWIN
from twindow.paths import TWINS
from twindow.service.container import Container
from twindow.service.twins.repository import TwinRepository


def names(twins: TwinRepository) -> list[str]:
    return [twin.front_matter.name for twin in twins.list_all()]


def found(twins: TwinRepository, twin_id: str) -> str | None:
    twin = twins.find_visible_to(twin_id, "alice", frozenset())
    return twin and twin.front_matter.name


def test_changed_file_takes_effect_and_an_invalid_one_affects_no_other_twin(tmp_path: Path):
    twins = TwinRepository(tmp_path)
    ada, bob = tmp_path / "ada.md", tmp_path / "bob.md"
    ada.write_text(TWIN)
    bob.write_text("---\nname: Bob\n---\n")
    assert names(twins) == ["Ada", "Bob"]

    ada.write_text(TWIN.replace("name: Ada", "name: Countess"))
    os.utime(ada, (1, 1))
    bob.write_text("no front matter")

    assert names(twins) == ["Countess"]
    assert (found(twins, "ada"), found(twins, "bob")) == ("Countess", None)
    assert twins.problems() == ["bob.md: line 1: missing front matter between two lines of ---."]
    bob.unlink()
    assert twins.problems() == []


def test_replaced_file_with_the_same_time_and_size_is_read_again(tmp_path: Path):
    twins = TwinRepository(tmp_path)
    for name in ("Ada", "Eve"):
        (tmp_path / name).write_text(f"---\nname: {name}\n---\n")
        os.utime(tmp_path / name, (1, 1))
        (tmp_path / name).replace(tmp_path / "twin.md")

        assert names(twins) == [found(twins, "twin")] == [name]


def test_unchanged_file_is_not_read_again(tmp_path: Path):
    twins = TwinRepository(tmp_path)
    (tmp_path / "ada.md").write_text(TWIN)

    assert (
        twins.list_all()[0]
        is twins.list_all()[0]
        is twins.find_visible_to("ada", "alice", frozenset())
    )


def test_other_files_in_the_folder_are_not_twins(tmp_path: Path):
    (tmp_path / ".#ada.md").symlink_to("alice@laptop.4711")
    (tmp_path / "notes.txt").write_text("not a twin")
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "eve.md").write_text(TWIN)
    twins = TwinRepository(tmp_path)

    assert names(twins) == []
    assert twins.problems() == []
    assert found(twins, ".#ada") is None


def test_folder_of_symbolic_links_is_supported(tmp_path: Path):
    (tmp_path / "..first").mkdir()
    (tmp_path / "..first" / "ada.md").write_text(TWIN)
    (tmp_path / "..data").symlink_to("..first")
    (tmp_path / "ada.md").symlink_to("..data/ada.md")

    assert names(TwinRepository(tmp_path)) == ["Ada"]


def test_link_out_of_the_folder_is_refused_with_a_message(tmp_path: Path):
    folder = tmp_path / "twins"
    folder.mkdir()
    (tmp_path / "secret.md").write_text(TWIN)
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "eve.md").write_text(TWIN)
    (folder / "out").symlink_to(tmp_path / "secrets")
    for name, target in {
        "absolute.md": tmp_path / "secret.md",
        "lost.md": "../nowhere.md",
        "relative.md": "../secret.md",
        "through.md": "out/eve.md",
    }.items():
        (folder / name).symlink_to(target)
    (tmp_path / "link").symlink_to(folder)
    for twins in (TwinRepository(folder), TwinRepository(tmp_path / "link")):
        assert names(twins) == []
        assert found(twins, "relative") is None
        assert twins.problems() == [
            f"{name}.md: it is outside the twins folder."
            for name in ("absolute", "lost", "relative", "through")
        ]


def test_unreadable_files_are_reported_and_other_twins_remain(tmp_path: Path):
    (tmp_path / "ada.md").write_text(TWIN)
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "lost.md").symlink_to("nowhere")
    (tmp_path / os.fsdecode(b"latin-\xe9.md")).write_text(TWIN)
    twins = TwinRepository(tmp_path)

    assert names(twins) == ["Ada"]
    assert found(twins, "folder") is None
    assert sorted(twins.problems()) == [
        "folder.md: it is a folder, not a file.",
        "latin-\\udce9.md: the file name is not valid UTF-8.",
        "lost.md: it is a broken link.",
    ]


def test_twin_id_cannot_address_files_outside_the_folder(tmp_path: Path):
    (tmp_path / "ada.md").write_text(TWIN)
    (tmp_path / "twins" / "deeper").mkdir(parents=True)
    (tmp_path / "twins" / "deeper" / "eve.md").write_text(TWIN)
    (tmp_path / "twins" / "a").mkdir()
    twins = TwinRepository(tmp_path / "twins")

    ids = ["../ada", "a/../ada", "/ada", "deeper/eve", "x" * 5000, "\0", "\ud800", "", ".."]
    assert [id_ for id_ in ids if found(twins, id_) is not None] == []


def test_twins_command_reports_each_problem_once(
    service: Flask, container: Container, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.WARNING, "twindow.service")  # caplog restores the level after the test
    runner = service.test_cli_runner()
    assert runner.invoke(args=["twindow", "twins"]).exit_code == 0

    (container.twins.folder / "bob.md").write_text("---\nname: Bob\navatar: none.png\n---\n")
    (container.twins.folder / "eve.md").write_text("---\nnam: Eve\n---\n")
    result = runner.invoke(args=["twindow", "twins"])

    assert result.exit_code == 1
    assert result.output.splitlines() == [
        "ada\tAda",
        "bob\tBob",
        "bob.md: line 3: the avatar none.png does not exist.",
        "eve.md: line 2: nam is not known (did you mean name?).",
    ]
    assert caplog.messages == []


def test_twins_can_be_listed_while_files_change(tmp_path: Path):
    twins = TwinRepository(tmp_path)
    for number in range(10):
        (tmp_path / f"t{number}.md").write_text(TWIN)

    def change(number: int) -> None:
        (tmp_path / f"t{number % 10}.md").unlink(missing_ok=True)
        assert len(twins.list_all()) <= 10
        (tmp_path / f"t{number % 10}.md").write_text(TWIN)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(change, range(200)))

    assert len(twins.list_all()) == 10
    assert twins.problems() == []


def test_demo_twins_are_valid():
    twins = TwinRepository(TWINS)

    assert twins.problems() == []
    assert len(twins.list_all()) == 3
    for twin in twins.list_all():
        assert twin.front_matter.greeting
        assert len(twin.front_matter.starters) == 3
