"""Backup files: zips with an SQLite database for each schema, and a manifest."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import msgspec
from sqlalchemy import inspect

from core.db.database import Database
from core.db.migrations import newest_version
from core.db.table_copy import CopyRefused, Schema, Source, copy_databases, count_rows

MANIFEST = "manifest.json"
SECRETS = "secrets"
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    msgspec.MsgspecError,
    EOFError,
    KeyError,
    NotImplementedError,
    RuntimeError,  # an encrypted member
)


class Manifest(msgspec.Struct, frozen=True):
    """What a backup contains.

    `made_at` is a date and time with its zone. `versions` has the versions of the tables by the
    name of the schema, `row_counts` the numbers of rows by table, and `hashes` the SHA-256 of each
    file in the backup.
    """

    made_at: str
    versions: dict[str, str]
    row_counts: dict[str, int]
    hashes: dict[str, str]


@dataclass(frozen=True, slots=True)
class Backup:
    """An opened backup; `secrets` is encrypted, and None if the backup has none."""

    manifest: Manifest
    sources: Sequence[Source]
    secrets: bytes | None


def write_backup(
    path: Path, sources: Sequence[Source], *, made_at: str, secrets: bytes | None
) -> Manifest:
    """Write a new file that only its owner can read, while servers may be running.

    The content of each database is that of one moment. Temporary files are in the folder of `path`.
    Raises FileExistsError, OSError and DatabaseUnavailable.
    """
    if path.exists():
        raise FileExistsError
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}-") as name:
        folder = Path(name)
        # The portal comes first: what it knows of the service is then in the later copy, too.
        row_counts = copy_databases(sources, lambda schema_name: _sqlite_url(folder, schema_name))
        if secrets is not None:
            (folder / SECRETS).write_bytes(secrets)
        files = sorted(folder.iterdir())
        manifest = Manifest(
            made_at,
            {schema.name: newest_version(schema.migrations) for schema, _ in sources},
            row_counts,
            {file.name: _hash(file) for file in files},
        )
        unnamed = folder / "backup"
        unnamed.touch(mode=0o600)
        with zipfile.ZipFile(unnamed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(MANIFEST, msgspec.json.encode(manifest))
            for file in files:
                archive.write(file, file.name)
        path.touch(mode=0o600, exist_ok=False)
        unnamed.replace(path)
    return manifest


@contextmanager
def open_backup(path: Path, schemas: Sequence[Schema]) -> Iterator[Backup]:
    """Verify a backup and unpack it into a temporary folder, until the context ends.

    Tables of an older version are upgraded there. Raises CopyRefused and OSError.
    """
    with tempfile.TemporaryDirectory(prefix="twindow-") as name:
        folder = Path(name)
        try:
            manifest = _unpack(path, folder, schemas)
        except _UNREADABLE:
            raise CopyRefused(f"{path} is not a backup, or it is damaged.") from None
        sources = [
            (schema, Database(_sqlite_url(folder, schema.name)))
            for schema in schemas
            if schema.name in manifest.versions
        ]
        try:
            _check_counts(path, manifest, sources)
            for schema, database in sources:
                schema.migrate(database)
            secrets = folder / SECRETS
            yield Backup(manifest, sources, secrets.read_bytes() if secrets.exists() else None)
        finally:
            for _, database in sources:
                database.close()


def _unpack(path: Path, folder: Path, schemas: Sequence[Schema]) -> Manifest:
    """Unpack the files that the manifest names.

    Raises CopyRefused for an unsupported version, and the exceptions in `_UNREADABLE`.
    """
    with zipfile.ZipFile(path) as archive:
        manifest = msgspec.json.decode(archive.read(MANIFEST), type=Manifest)
        _check_versions(manifest, schemas)
        if manifest.hashes.keys() - {SECRETS} != {_file_name(name) for name in manifest.versions}:
            raise KeyError
        for name, expected in manifest.hashes.items():
            with archive.open(name) as member, (folder / name).open("wb") as file:
                shutil.copyfileobj(member, file)
            if _hash(folder / name) != expected:
                raise zipfile.BadZipFile
    return manifest


def _check_versions(manifest: Manifest, schemas: Sequence[Schema]) -> None:
    supported = {schema.name: newest_version(schema.migrations) for schema in schemas}
    for name, version in manifest.versions.items():
        if name not in supported:
            raise CopyRefused(
                f"The backup contains the database of the {name}, which this portal does not use: "
                "check TWINDOW_API_URL."
            )
        if version > supported[name]:
            raise CopyRefused(
                f"The backup has version {version} of the tables of the {name}, but this program "
                f"supports only {supported[name]}: update the program."
            )


def _check_counts(path: Path, manifest: Manifest, sources: Sequence[Source]) -> None:
    found: dict[str, int] = {}
    for _, database in sources:
        with database.read() as connection:
            names = set(manifest.row_counts).intersection(inspect(connection).get_table_names())
            found |= count_rows(connection, names)
    if found != manifest.row_counts:
        raise CopyRefused(f"{path} does not have the numbers of rows that its manifest names.")


def _file_name(schema_name: str) -> str:
    return f"{schema_name}.db"


def _sqlite_url(folder: Path, schema_name: str) -> str:
    return f"sqlite:///{quote(str(folder.resolve() / _file_name(schema_name)))}"


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
