"""The import rules of docs/architecture.md, checked for all product modules."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from twindow.paths import ROOT

MAY_IMPORT = {
    "twindow": set(),
    "twindow.paths": set(),
    "twindow.migrations": set(),
    "twindow.core": {"twindow.paths"},
    "twindow.twinapi": {"twindow.core"},
    "twindow.rendering": {"twindow.core", "twindow.paths"},
    "twindow.accounts": {"twindow.core"},
    "twindow.chat": {"twindow.twinapi", "twindow.core"},
    "twindow.web": {
        "twindow.accounts",
        "twindow.rendering",
        "twindow.chat",
        "twindow.twinapi",
        "twindow.core",
        "twindow.paths",
    },
    "twindow.service": {"twindow.core", "twindow.paths"},
}
MAY_IMPORT["blueprints"] = {"twindow.web", *MAY_IMPORT["twindow.web"]}
MAY_IMPORT["twindow.application"] = set(MAY_IMPORT)
MAY_IMPORT["app"] = {"twindow.application", "twindow.web", "twindow.core"}
# The modules of these packages are imported by name. All packages that are not in this set export
# their public names in __init__.
NAMESPACES = {
    "blueprints",
    "twindow",
    "twindow.chat",
    "twindow.core",
    "twindow.core.db",
    "twindow.core.outbound",
    "twindow.core.server",
    "twindow.migrations",
    "twindow.service",
    "twindow.web",
    "twindow.web.oidc",
    "twindow.web.person",
    "twindow.web.session",
    "twindow.web.streaming",
}
FORBIDDEN_LIBRARIES = {
    "twindow.accounts": {"flask", "requests"},
    "twindow.chat": {"flask", "requests"},
    "twindow.rendering": {"flask", "requests"},
    "twindow.twinapi": {"flask"},
}
# Libraries that these packages must not load, not even through the modules that they import; their
# functions may import them.
NOT_LOADED = {"twindow.core.settings": {"flask", "requests", "sqlalchemy"}}


@cache
def modules() -> dict[str, Path]:
    """Return the paths of all product modules by their dotted names."""
    paths = [path for top in ("twindow", "blueprints") for path in (ROOT / top).rglob("*.py")]
    return {module_name(path): path for path in [*paths, ROOT / "app.py"]}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package_of(module: str) -> str:
    """Return the package of a module, or the module itself if it is a package."""
    return module if modules()[module].name == "__init__.py" else module.rpartition(".")[0]


def rule_of(module: str) -> str:
    """Return the key of `MAY_IMPORT` for a module: `twindow.chat`, `blueprints`, `app`."""
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "twindow" else parts[0]


def imports(module: str, *, is_top_level: bool = False) -> Iterator[tuple[str, str]]:
    """Yield each import of a module as (module, imported name), with "" for a whole module.

    Those of `is_top_level` are done when the module is loaded, not by its functions.
    """
    tree = ast.parse(modules()[module].read_text())
    for node in tree.body if is_top_level else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: imports are absolute here"
            assert node.module is not None
            for alias in node.names:
                submodule = f"{node.module}.{alias.name}"
                yield (submodule, "") if submodule in modules() else (node.module, alias.name)


def loaded_libraries(package: str) -> set[str]:
    """Return the libraries that the modules of a package load, also through other modules."""
    libraries: set[str] = set()
    pending = {module for module in modules() if is_inside(module, package)}
    found = set(pending)
    while pending:
        for imported, _ in imports(pending.pop(), is_top_level=True):
            parts = imported.split(".")
            names = {".".join(parts[: length + 1]) for length in range(len(parts))}
            new = (names & modules().keys()) - found
            pending |= new
            found |= new
            if parts[0] not in modules():
                libraries.add(parts[0])
    return libraries


def is_inside(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def exported_names(package: str) -> set[str]:
    for node in ast.parse(modules()[package].read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    return set()


def public_package(module: str) -> str | None:
    """Return the innermost package that contains a module and has a public interface."""
    parts = module.split(".")
    packages = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next(
        (
            package
            for package in packages
            if package not in NAMESPACES and package in modules() and package_of(package) == package
        ),
        None,
    )


def test_packages_import_only_allowed_packages_and_libraries():
    wrong = []
    for module in modules():
        package = rule_of(module)
        allowed = {package, *MAY_IMPORT[package]}
        for imported, _ in imports(module):
            is_forbidden = imported in modules() and rule_of(imported) not in allowed
            library = imported.partition(".")[0]
            if is_forbidden or library in FORBIDDEN_LIBRARIES.get(package, ()):
                wrong.append(f"{module}: {imported}")

    assert wrong == []


@pytest.mark.parametrize(("package", "libraries"), NOT_LOADED.items())
def test_package_does_not_load_slow_libraries(package: str, libraries: set[str]):
    assert loaded_libraries(package) & libraries == set()


def test_packages_are_imported_through_their_public_interface():
    wrong = []
    for module in modules():
        for imported, name in imports(module):
            package = public_package(imported)
            if package is None or is_inside(module, package) or (imported == package and not name):
                continue
            exported = imported.removeprefix(f"{package}.") if imported != package else name
            if exported not in exported_names(package):
                wrong.append(f"{module}: {imported} {name}".rstrip())

    assert wrong == []


def test_sibling_packages_have_no_import_cycles():
    graph: dict[str, set[str]] = {}
    for module in modules():
        for imported, _ in imports(module):
            own, other = package_of(module), imported
            if other not in modules() or is_inside(module, package_of(other)):
                continue
            if not is_inside(package_of(other), own):
                graph.setdefault(own, set()).add(package_of(other))
    # The modules in `twindow` itself use its packages, and are used by them.
    graph = {package: others - {"twindow"} for package, others in graph.items()}
    graph.pop("twindow", None)

    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        raise AssertionError(f"cycle: {' -> '.join(error.args[1])}") from None


def test_every_package_has_an_import_rule():
    assert {rule_of(module) for module in modules()} == set(MAY_IMPORT)


def test_vendored_scripts_match_the_hashes_in_their_readme():
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


def test_private_fields_of_htmx_that_the_scripts_use_exist_in_its_vendored_file():
    """A new version of htmx may rename them, and reconnecting would then fail silently."""
    script = (ROOT / "static/js/reply_stream.js").read_text()
    [vendored] = (ROOT / "static/vendor").glob("hx-sse-*.min.js")
    names = {"_htmx", "sse", "delayCanceller", "reader", "reconnectDelay", "reconnectMaxDelay"}
    names |= {"reconnectJitter", "attempt"}

    assert {name for name in names if not re.search(rf"\b{name}\b", script)} == set()
    assert {name for name in names if not re.search(rf"\b{name}\b", vendored.read_text())} == set()
