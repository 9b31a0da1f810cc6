"""Script modules: static/js/, and the translated sentences of each language.

All modules have the same version in their URLs, so that they can import each other by relative
paths.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path

from core.languages import LANGUAGES
from web.i18n import SENTENCES

ROOT = Path(__file__).parents[2]
STATIC_IMPORT = re.compile(r'^import\b[^"(;]*"\./(\w+\.js)";', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ScriptModules:
    """The modules of a folder, and the catalogues that contain their sentences."""

    folder: Path
    catalogs: Path

    @property
    def names(self) -> list[str]:
        """Return the names of all modules, for example `main.js`."""
        return sorted(path.name for path in self.folder.glob("*.js"))

    def find_imports(self, entry: str) -> list[str]:
        """Return the modules that the module `entry` imports, directly or not, sorted by name.

        Modules that are loaded later, by `import()`, are left out.
        """
        found: set[str] = set()
        pending = [entry]
        while pending:
            text = (self.folder / pending.pop()).read_text()
            new = set(STATIC_IMPORT.findall(text)) - found
            found |= new
            pending += new
        return sorted(found)

    def compute_version(self) -> str:
        """Return a hash of all modules and of all sentences in all languages."""
        digest = hashlib.sha256(json.dumps(SENTENCES).encode())
        for path in sorted([*self.folder.glob("*.js"), *self.catalogs.glob("*/LC_MESSAGES/*.mo")]):
            digest.update(f"{path.name}\0".encode() + path.read_bytes())
        return digest.hexdigest()[:8]


MODULES = ScriptModules(ROOT / "static" / "js", ROOT / "translations")
MESSAGES_PREFIX = "messages/"
# Names and sources of assets. The source messages/CODE is generated (web/i18n/js_strings.py).
MODULE_ASSETS = {
    **{f"js/{name}": (f"js/{name}",) for name in MODULES.names},
    **{f"{code}/messages.js": (f"{MESSAGES_PREFIX}{code}",) for code in LANGUAGES},
}
