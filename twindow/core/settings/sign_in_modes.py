"""How people sign in: the value of TWINDOW_SIGN_IN."""

from __future__ import annotations

MODES = ("visitor", "password", "proxy")
FUTURE_MODES = ("oidc",)


class SignInModes:
    """The modes of sign-in, parsed from a list. An empty list allows only visitors.

    Raises ValueError with a plain reason.
    """

    def __init__(self, text: str) -> None:
        names = [name for part in text.split(",") if (name := part.strip().lower())]
        if text and not names:
            raise ValueError("it lists no mode")
        for name in names:
            if name in FUTURE_MODES:
                raise ValueError(f"“{name}” is not supported yet")
            if name not in MODES:
                raise ValueError(f"“{name}” is none of {', '.join(MODES)}")
        self.text = text
        self.is_set = bool(names)
        self.allows_visitors = not names or "visitor" in names
        self.has_passwords = "password" in names
        self.has_proxy = "proxy" in names

    def __str__(self) -> str:
        """Return the value as it was set, or the default."""
        return self.text or "visitor"
