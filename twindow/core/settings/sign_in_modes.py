"""How people sign in: the value of TWINDOW_SIGN_IN."""

from __future__ import annotations

MODES = ("visitor", "password", "proxy", "oidc")


class SignInModes:
    """The modes of sign-in, parsed from a list. An empty list allows only visitors.

    Raises ValueError with a plain reason.
    """

    def __init__(self, text: str) -> None:
        names = [name for part in text.split(",") if (name := part.strip().lower())]
        if text and not names:
            raise ValueError("it lists no mode")
        for name in names:
            if name not in MODES:
                raise ValueError(f"“{name}” is none of {', '.join(MODES)}")
        self.text = text or "visitor"
        self.is_set = bool(names)
        self.allows_visitors = not names or "visitor" in names
        self.has_passwords = "password" in names
        self.has_proxy = "proxy" in names
        self.has_oidc = "oidc" in names
        # Whether people sign in here, so that the portal stores their sign-ins.
        self.has_sign_ins = self.has_passwords or self.has_oidc
