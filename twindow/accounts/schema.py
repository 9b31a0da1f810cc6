"""Tables of people who sign in."""

from sqlalchemy import Column, Float, ForeignKey, String, Table, Text

from twindow.core.db.metadata import metadata

people = Table(
    "people",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("name", Text, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("disabled_at", Float),
    # Time of the last sign-in.
    Column("signed_in_at", Float),
    # Group names, separated by commas.
    Column("group_names", Text, nullable=False, server_default=""),
)

# Names of people at issuers: the password accounts, the proxy, or a provider of OpenID Connect,
# whose issuer is a URL. A person may have several identities.
identities = Table(
    "identities",
    metadata,
    Column("issuer", String(255), primary_key=True),
    Column("subject", String(255), primary_key=True),
    Column("person_id", ForeignKey("people.id", ondelete="CASCADE"), nullable=False, index=True),
)

passwords = Table(
    "passwords",
    metadata,
    Column("person_id", ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
    # Argon2id, in the PHC string format.
    Column("hash", Text, nullable=False),
)

# Links with which people set their passwords. Only the hash of the token is stored.
one_time_links = Table(
    "one_time_links",
    metadata,
    Column("person_id", ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("expires_at", Float, nullable=False),
)

# One row for each browser in which a person is signed in.
sign_ins = Table(
    "sign_ins",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("person_id", ForeignKey("people.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("device", Text, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("seen_at", Float, nullable=False),
    # Only of a sign-in at a provider of OpenID Connect: when it began, its name there, and the ID
    # token, encrypted.
    Column("verified_at", Float),
    Column("provider_sid", Text, nullable=False, server_default=""),
    Column("id_token", Text, nullable=False, server_default=""),
)

# What is copied to another database. Each table is after those that it refers to.
TABLES = (people, identities, passwords, one_time_links, sign_ins)
