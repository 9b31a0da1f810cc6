"""The filter of the list of twins: the search for twins by name and description."""

from __future__ import annotations

from collections.abc import Sequence

from twindow.core.text_folding import fold
from twindow.twinapi import Twin


def filter_twins(twins: Sequence[Twin], q: str) -> Sequence[Twin]:
    """Return the twins with every word of `q` in their name or description.

    Twins with all words in their name come first.
    """
    words = fold(q).split()
    by_name: list[Twin] = []
    by_description: list[Twin] = []
    for twin in twins:
        name = fold(twin.name)
        if all(word in name for word in words):
            by_name.append(twin)
            continue
        description = fold(twin.description)
        if all(word in name or word in description for word in words):
            by_description.append(twin)
    return by_name + by_description
