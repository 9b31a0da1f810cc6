"""Script modules: static/js/, as browsers load them.

All modules have the same version and language in their URLs, so that they can import each other by
relative paths.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path

from core.languages import LANGUAGES
from web.i18n import SENTENCES, messages_module

ROOT = Path(__file__).parents[2]
# The imported names, and the module.
IMPORT = re.compile(r'^import (?:\{([^}]*)\} from )?"\./(\w+\.js)";\n', re.MULTILINE)
MAIN = "main.js"
# Modules with a URL. The other modules are part of their files.
SERVED = (MAIN, "conversation.js", "shortcuts_dialog.js")
MESSAGES = "messages.js"


@dataclass(frozen=True, slots=True)
class ScriptModules:
    """The modules of a folder, and the catalogues with the translations of their sentences."""

    folder: Path
    catalogs: Path

    def find_imports(self, name: str) -> list[str]:
        """Return the modules that a module imports, directly or not, in the order of execution.

        Modules that are loaded later, by `import()`, are left out.
        """
        found: dict[str, None] = {}
        for _, imported in IMPORT.findall((self.folder / name).read_text(encoding="utf-8")):
            found |= dict.fromkeys([*self.find_imports(imported), imported])
        return list(found)

    def find_parts(self, name: str) -> list[str]:
        """Return the modules that are served in the file of a module, in the order of execution."""
        in_main = [] if name == MAIN else [*self.find_imports(MAIN), MAIN]
        return [*(part for part in self.find_imports(name) if part not in in_main), name]

    def read(self, name: str, language: str) -> str:
        """Return a file to serve: a module and the modules that it imports.

        They are one file, because each request delays the first paint. What main.js contains is
        imported from main.js.
        """
        parts = self.find_parts(name)
        text = "\n".join(self._read_source(part, language) for part in parts)
        body = IMPORT.sub("", text)
        if name == MAIN:
            return body
        names = {
            name.strip()
            for names, imported in IMPORT.findall(text)
            if imported not in parts
            for name in names.split(",")
        }
        return f'import {{ {", ".join(sorted(names - {""}))} }} from "./{MAIN}";\n{body}'

    def _read_source(self, name: str, language: str) -> str:
        if name == MESSAGES:
            return messages_module(language)
        return (self.folder / name).read_text(encoding="utf-8")

    def compute_version(self) -> str:
        """Return a hash of all modules, all sentences in all languages, and this Python module."""
        digest = hashlib.sha256(json.dumps(SENTENCES).encode())
        for path in sorted([*self.folder.glob("*.js"), *self.catalogs.glob("*/LC_MESSAGES/*.mo")]):
            digest.update(f"{path.name}\0".encode() + path.read_bytes())
        digest.update(Path(__file__).read_bytes())  # its `read` determines the served text
        return digest.hexdigest()[:8]


MODULES = ScriptModules(ROOT / "static" / "js", ROOT / "translations")
# Names of assets, such as de/main.js, and their sources (`_read_source` in bundles.py).
MODULE_ASSETS = {f"{code}/{name}": (f"js/{code}/{name}",) for code in LANGUAGES for name in SERVED}
