"""Findings of the `check` commands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import click


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence about what works, or a problem with a line that may fix it, or ""."""

    sentence: str
    is_problem: bool = False
    fix: str = ""


def print_findings(findings: Iterable[Finding]) -> bool:
    """Print findings as they arrive, and return whether there are problems."""
    has_problems = False
    for finding in findings:
        fix = f" Try:\n    {finding.fix}" if finding.fix else ""
        click.echo(finding.sentence + fix, err=finding.is_problem)
        has_problems |= finding.is_problem
    return has_problems
