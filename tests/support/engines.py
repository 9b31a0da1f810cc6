"""Firefox and WebKit from Debian's packages, driven by Selenium."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.remote.client_config import ClientConfig
from selenium.webdriver.remote.remote_connection import RemoteConnection
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.webkitgtk.service import Service

from tests.support.marionette import MarionetteConnection
from tests.support.packages import find_or_install, install
from tests.support.waiting import wait_until

FIREFOX_NAMES = ("firefox-esr", "firefox")
WEBKIT_DRIVER = "WebKitWebDriver"
DISPLAY_SERVER = "Xvfb"
# Firefox without a window believes that there is no mouse; these are the capabilities of a mouse.
FINE, HOVER = 2, 4
INSTALL_HINT = (
    "The tests need Firefox and WebKit; on Debian: apt-get install firefox-esr webkit2gtk-driver "
    "xvfb"
)


@contextmanager
def run_firefox(folder: Path, *, has_javascript: bool = True) -> Iterator[WebDriver]:
    """Run Firefox with a new profile in this folder, without a window."""
    preferences = {
        "javascript.enabled": has_javascript,
        "marionette.port": 0,
        "ui.primaryPointerCapabilities": FINE | HOVER,
    }
    lines = [f'user_pref("{name}", {json.dumps(value)});' for name, value in preferences.items()]
    (folder / "user.js").write_text("\n".join(lines))
    command = [_find(FIREFOX_NAMES, "firefox-esr"), "--headless", "--marionette", "--no-remote"]
    with _run([*command, "--profile", str(folder), "about:blank"]):
        port_file = folder / "MarionetteActivePort"
        wait_until(lambda: port_file.exists() and port_file.read_text())
        connection = MarionetteConnection(int(port_file.read_text()))
        driver = webdriver.Remote(connection, options=webdriver.FirefoxOptions())
        try:
            yield driver
        finally:
            connection.close()


@contextmanager
def run_webkit(folder: Path) -> Iterator[WebDriver]:
    """Run WebKitGTK's small browser on a virtual screen."""
    driver_path = _find((WEBKIT_DRIVER,), "webkit2gtk-driver")
    libraries = Path(driver_path).resolve().parent.parent / "lib"
    options = webdriver.WebKitGTKOptions()
    options.binary_location = str(next(libraries.glob("**/webkit2gtk-4.*/MiniBrowser")))
    options.add_argument("--automation")
    with _run_display(folder) as display:
        environment = os.environ | {"DISPLAY": display, "HOME": str(folder)}
        service = Service(executable_path=driver_path, env=environment)
        service.start()
        try:
            address = ClientConfig(remote_server_addr=service.service_url)
            connection = RemoteConnection(client_config=address)
            with webdriver.Remote(connection, options=options) as driver:
                yield driver
        finally:
            service.stop()


@contextmanager
def _run_display(folder: Path) -> Iterator[str]:
    """Run an X server without a screen, and yield the name of its display."""
    program = _find((DISPLAY_SERVER,), "xvfb")
    with (folder / "display").open("wb") as file:
        command = [program, "-displayfd", str(file.fileno()), "-nolisten", "tcp"]
        with _run(command, pass_fds=(file.fileno(),)):
            wait_until(lambda: (folder / "display").read_text().endswith("\n"))
            yield f":{(folder / 'display').read_text().strip()}"


@contextmanager
def _run(command: list[str], pass_fds: tuple[int, ...] = ()) -> Iterator[None]:
    process = subprocess.Popen(
        command, pass_fds=pass_fds, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def _find(names: tuple[str, ...], package: str) -> str:
    """Return the path of a program; install its package if it is missing.

    Raises SystemExit with a hint if it cannot be installed.
    """

    def find() -> str | None:
        return next(filter(None, map(shutil.which, names)), None)

    path = find_or_install(find, lambda: install(package))
    if path is None:
        raise SystemExit(INSTALL_HINT)
    return path
