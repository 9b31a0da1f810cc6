"""Sampling options for the model."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

MAX_SEED = 2**32 - 1  # every model server accepts seeds up to this value


class Sampling(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options for the model server, by their API names; `max_tokens` limits the reply."""

    model: Annotated[str, Meta(min_length=1)] | None = None
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    top_p: Annotated[float, Meta(gt=0, le=1)] | None = None
    frequency_penalty: Annotated[float, Meta(ge=-2, le=2)] | None = None
    presence_penalty: Annotated[float, Meta(ge=-2, le=2)] | None = None
    max_tokens: Annotated[int, Meta(ge=1)] = 400
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED)] | None = None
    stop: (
        Annotated[list[Annotated[str, Meta(min_length=1)]], Meta(min_length=1, max_length=4)] | None
    ) = None

    def request_options(self) -> dict[str, Any]:
        """Return the fields for the request body, without those that are not set."""
        options = ((name, getattr(self, name)) for name in Sampling.__struct_fields__)
        return {name: value for name, value in options if value is not None}
