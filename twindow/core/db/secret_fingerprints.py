"""Fingerprints of the secrets, so that machines that share a database have the same ones."""

from __future__ import annotations

from sqlalchemy import Column, String, Table, delete, select

from twindow.core.db.database import Database
from twindow.core.db.metadata import metadata
from twindow.core.db.statements import insert_or_ignore
from twindow.core.secrets import keyed_hash
from twindow.core.settings import Settings, SettingsError

secret_fingerprints = Table(
    "secret_fingerprints",
    metadata,
    # The name of the setting, and the keyed hash of its value.
    Column("name", String(32), primary_key=True),
    Column("fingerprint", String(64), nullable=False),
)

DIFFERENT_SECRETS = (
    "{0} is not the one with which this database is used. Set it to the value of the machine that "
    "used the database first, which is in its settings or in the file {1} of its data folder. If "
    "you want new secrets on all machines, run “twindow upgrade --new-secrets”."
)


def check_fingerprints(database: Database, settings: Settings, *, accept: bool = False) -> None:
    """Compare the secrets with the fingerprints in the database, and store missing ones.

    With `accept`, the fingerprints are replaced. Only PostgreSQL is shared by machines.

    Raises SettingsError if a secret is another one.
    """
    if database.is_sqlite:
        return
    names = ["secret_key"]
    if settings.is_embedded and not settings.jwt_jwks_url:
        names.append("jwt_secret")
    for name in names:
        fingerprint = keyed_hash(settings.secret(name), "fingerprint", name)
        own = secret_fingerprints.c.name == name
        with database.write() as connection:
            if accept:
                connection.execute(delete(secret_fingerprints).where(own))
            row = {"name": name, "fingerprint": fingerprint}
            connection.execute(insert_or_ignore(connection, secret_fingerprints), row)
            stored = connection.scalar(select(secret_fingerprints.c.fingerprint).where(own))
        if stored != fingerprint:
            raise SettingsError(DIFFERENT_SECRETS.format(f"TWINDOW_{name.upper()}", name))
