"""Firefox for Selenium through Marionette, the protocol that geckodriver translates to.

Debian has Firefox but no geckodriver. Marionette's commands are those of WebDriver, so a table of
their names is all that is missing:
https://firefox-source-docs.mozilla.org/testing/marionette/Protocol.html
"""

from __future__ import annotations

import json
import socket
from typing import Any

from selenium.webdriver.remote.client_config import ClientConfig
from selenium.webdriver.remote.remote_connection import RemoteConnection

# Selenium's names of commands, and Marionette's.
COMMANDS = {
    "newSession": "WebDriver:NewSession",
    "quit": "WebDriver:DeleteSession",
    "get": "WebDriver:Navigate",
    "goBack": "WebDriver:Back",
    "goForward": "WebDriver:Forward",
    "refresh": "WebDriver:Refresh",
    "getCurrentUrl": "WebDriver:GetCurrentURL",
    "getTitle": "WebDriver:GetTitle",
    "findElement": "WebDriver:FindElement",
    "findElements": "WebDriver:FindElements",
    "findChildElement": "WebDriver:FindElement",
    "findChildElements": "WebDriver:FindElements",
    "clickElement": "WebDriver:ElementClick",
    "clearElement": "WebDriver:ElementClear",
    "sendKeysToElement": "WebDriver:ElementSendKeys",
    "getElementValueOfCssProperty": "WebDriver:GetElementCSSValue",
    "getElementTagName": "WebDriver:GetElementTagName",
    "setTimeouts": "WebDriver:SetTimeouts",
    "getElementText": "WebDriver:GetElementText",
    "getElementRect": "WebDriver:GetElementRect",
    "getElementProperty": "WebDriver:GetElementProperty",
    "getElementAttribute": "WebDriver:GetElementAttribute",
    "isElementSelected": "WebDriver:IsElementSelected",
    "isElementEnabled": "WebDriver:IsElementEnabled",
    "w3cExecuteScript": "WebDriver:ExecuteScript",
    "w3cExecuteScriptAsync": "WebDriver:ExecuteAsyncScript",
    "actions": "WebDriver:PerformActions",
    "w3cGetActiveElement": "WebDriver:GetActiveElement",
    "getWindowRect": "WebDriver:GetWindowRect",
    "setWindowRect": "WebDriver:SetWindowRect",
    "deleteAllCookies": "WebDriver:DeleteAllCookies",
    "screenshot": "WebDriver:TakeScreenshot",
}


class MarionetteConnection(RemoteConnection):
    """Send Selenium's commands to a running Firefox."""

    browser_name = "firefox"

    def __init__(self, port: int) -> None:
        super().__init__(client_config=ClientConfig(remote_server_addr=f"http://127.0.0.1:{port}"))
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._reader = self._socket.makefile("rb")
        self._read()
        self._count = 0

    def execute(self, command: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send one command and return its response, or its error, as WebDriver words them."""
        self._count += 1
        params.pop("sessionId", None)
        if "id" in params:
            params["element" if "using" in params else "id"] = params["id"]
        packet = json.dumps([0, self._count, COMMANDS[command], params]).encode()
        self._socket.sendall(b"%d:%b" % (len(packet), packet))
        _, _, error, value = self._read()
        if error:
            return {"status": 500, "value": json.dumps({"value": error})}
        if command == "newSession":
            return {"value": value}
        if isinstance(value, dict) and set(value) == {"value"}:
            value = value["value"]
        return {"value": value}

    def close(self) -> None:
        """Close the connection."""
        self._reader.close()
        self._socket.close()

    def _read(self) -> Any:
        length = b""
        while (digit := self._reader.read(1)) != b":":
            length += digit
        return json.loads(self._reader.read(int(length)))
