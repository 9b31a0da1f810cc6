"""Who may import whom."""

import ast
import hashlib
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
MAY_IMPORT = {
    "core": {"core"},
    "twinapi": {"twinapi", "core"},
    "rendering": {"rendering", "chat"},
    "chat": {"chat", "twinapi", "core"},
    "web": {"web", "blueprints", "rendering", "chat", "twinapi", "core"},
    "blueprints": {"blueprints", "web", "rendering", "chat", "twinapi", "core"},
    "service": {"service", "core"},
    "migrations": {"chat"},
}
MAY_IMPORT["app"] = set(MAY_IMPORT)
ROOMS = set(MAY_IMPORT)
NEVER = {
    "chat": {"flask", "requests"},
    "rendering": {"flask", "requests"},
    "twinapi": {"flask"},
}


def sources() -> list[Path]:
    files = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    files += [ROOT / f"{room}.py" for room in ROOMS if (ROOT / f"{room}.py").exists()]
    return sorted(files)


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute here"
            found.add((node.module or "").partition(".")[0])
    return found


def test_modules_import_only_what_their_package_may():
    wrong = []
    for path in sources():
        room = path.relative_to(ROOT).parts[0].removesuffix(".py")
        found = imports(path)
        forbidden = (found & ROOMS - MAY_IMPORT[room]) | (found & NEVER.get(room, set()))
        wrong += [f"{path.relative_to(ROOT)}: {name}" for name in sorted(forbidden)]

    assert wrong == []


def test_every_package_has_its_rule():
    folders = {path.parent for path in ROOT.glob("*/*.py")} - {ROOT / "tests", ROOT / "tools"}

    assert {path.stem for path in [*folders, *ROOT.glob("*.py")]} == ROOMS


def test_vendored_files_are_the_ones_listed():
    listed = dict(
        re.findall(
            r"`([\w.-]+\.js)`.*?`([0-9a-f]{64})`", (ROOT / "static/vendor/README.md").read_text()
        )
    )
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (ROOT / "static/vendor").glob("*.js")
    }

    assert listed == found
