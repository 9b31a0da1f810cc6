"""Access to the portal: which requests need a sign-in, and the session of a signed-in person."""

from web.access import gate
from web.access.browser_session import begin_sign_in, browser_token, end_sign_in
from web.access.devices import describe_device
from web.access.return_path import return_path
from web.access.revocation import while_signed_in

__all__ = [
    "begin_sign_in",
    "browser_token",
    "describe_device",
    "end_sign_in",
    "gate",
    "return_path",
    "while_signed_in",
]
