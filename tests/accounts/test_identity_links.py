"""API keys of a person whose identity is linked to another account."""

from __future__ import annotations

from unittest.mock import Mock

import pytest
from sqlalchemy import insert

from accounts import PROXY_ISSUER, Accounts, Identity, KeyIssuer, Person
from accounts.schema import identities
from tests.accounts.passwords import PASSWORD


@pytest.mark.parametrize("has_other_identity", [False, True])
def test_keys_of_a_person_are_revoked_if_the_linked_identity_was_their_only_one(
    accounts: Accounts, anna: Person, has_other_identity: bool
):
    accounts._key_issuer = issuer = Mock(spec=KeyIssuer)
    earlier = accounts.people.find_or_add(PROXY_ISSUER, "a.meier")
    if has_other_identity:
        other = {"issuer": "key", "subject": "1", "person_id": earlier.id}
        with accounts.database.write() as connection:
            connection.execute(insert(identities).values(other))

    accounts.link_identity(
        accounts.create_link(anna, "identity"),
        PASSWORD,
        "192.0.2.1",
        "",
        Identity(PROXY_ISSUER, "a.meier"),
        on_link=lambda *_: None,
    )

    revoked = [call.args for call in issuer.revoke_all.call_args_list]
    assert revoked == ([] if has_other_identity else [(earlier.id,)])
