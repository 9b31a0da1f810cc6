"""How a reply is drawn from the model."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

MAX_SEED = 2**32 - 1  # what every model server can hold


class Sampling(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options for the model server, by the names that it knows; `max_tokens` bounds a reply."""

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
        """Return what the model server is told: only what is given."""
        options = ((name, getattr(self, name)) for name in Sampling.__struct_fields__)
        return {name: value for name, value in options if value is not None}
