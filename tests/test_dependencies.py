"""The lock files pin every dependency by version and hash, and name no package index."""

from __future__ import annotations

import re
import tomllib

import pytest

from twindow.paths import ROOT

PIN = re.compile(r"(?P<name>[a-z0-9-]+)(\[[a-z,]+\])?==(?P<version>[\w.]+)( ; [^\\]+)?")


def pins(name: str) -> dict[str, str]:
    """Return the versions in a lock file; every line is a pinned package with its hashes."""
    found = {}
    for entry in (ROOT / name).read_text().replace(" \\\n", "").splitlines():
        package, *hashes = entry.split("    --hash=")
        match = PIN.fullmatch(package.strip())
        assert match, package
        assert hashes, package
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", value.strip()) for value in hashes), package
        found[match["name"]] = match["version"]
    return found


# Earlier versions of these packages, which the product imports, have known vulnerabilities.
SAFE_MINIMUM_VERSIONS = {"werkzeug": "3.1.6", "urllib3": "2.7", "idna": "3.15"}


def numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_lock_files_contain_only_pinned_and_hashed_packages(name: str):
    assert len(pins(name)) > 20


def test_locked_versions_satisfy_the_declared_minimum_versions():
    document = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = {
        "requirements.lock": document["project"]["dependencies"],
        "requirements-dev.lock": document["dependency-groups"]["dev"],
    }
    wrong = []
    for lock, declared in groups.items():
        locked = pins(lock)
        for requirement in declared:
            name, _, minimum = re.sub(r"\[.*?\]", "", requirement).partition(">=")
            if numbers(locked[name]) < numbers(minimum):
                wrong.append(f"{requirement}: {locked[name]}")

    assert wrong == []


def test_declared_minimum_versions_exclude_those_that_are_listed_as_vulnerable():
    document = tomllib.loads((ROOT / "pyproject.toml").read_text())
    declared = dict(requirement.split(">=") for requirement in document["project"]["dependencies"])

    too_low = {
        name: declared.get(name)
        for name, safe in SAFE_MINIMUM_VERSIONS.items()
        if numbers(declared.get(name, "0")) < numbers(safe)
    }
    assert too_low == {}
