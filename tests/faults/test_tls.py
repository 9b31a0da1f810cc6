"""Failed TLS: neither the API key nor the message is sent, and nothing is sent unencrypted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.faults.conftest import (
    COMPLETE_EVENT,
    MESSAGE,
    NOT_SENT,
    PARTIAL_DELTA,
    assert_outcome,
    observe_reply,
    respond_with_stream,
)
from tests.support.cases import failures
from tests.support.certificates import Certificate, CertificateAuthority
from tests.support.person import Page, Person
from tests.support.tls_front import HANDSHAKE, TlsFront, run_tls_front
from tests.support.upstream import UPSTREAM_KEY, Upstream

NOT_SECURE = "We can't connect securely to the twin service. Please contact your administrator."


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> CertificateAuthority:
    return CertificateAuthority(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def front(authority: CertificateAuthority, upstream: Upstream) -> Iterator[TlsFront]:
    """Serve with a valid certificate; the portal trusts the authority that signed it."""
    with run_tls_front(upstream.url, authority.make_signed("localhost")) as front:
        yield front


@pytest.fixture
def settings(
    settings: dict[str, Any], front: TlsFront, authority: CertificateAuthority
) -> dict[str, Any]:
    return settings | {"api_url": front.url, "ca_file": authority.root.pem}


@pytest.mark.fault("F42")
def test_nothing_is_sent_over_an_insecure_connection(
    alice: Person, upstream: Upstream, front: TlsFront, authority: CertificateAuthority
):
    alice.get("/twins/ada")
    asked = len(upstream.calls)
    failed: list[Page] = []

    def check(certificate: Certificate | None) -> None:
        front.use_certificate(certificate)
        seen = observe_reply(alice, upstream, alice.start_conversation(MESSAGE))
        assert_outcome(seen, "failed", f"{NOT_SECURE} {NOT_SENT}", sent_messages=[])
        assert set(front.first) == {HANDSHAKE}
        assert front.received_data == b""
        assert len(upstream.calls) == asked
        failed.append(seen.page)

    cases = {
        "self-signed": authority.make_self_signed("localhost"),
        "expired": authority.make_signed("localhost", days=-1),
        "of another host": authority.make_signed("other.example"),
        "no TLS": None,
    }
    assert failures(check, cases) == {}

    front.use_certificate(authority.make_signed("localhost"))
    again = alice.press(failed[-1], "Try again")
    seen = observe_reply(alice, upstream, again, respond_with_stream(PARTIAL_DELTA, COMPLETE_EVENT))
    assert_outcome(seen, "complete", reply="Half a rep")
    assert UPSTREAM_KEY.encode() in front.received_data
    assert set(front.first) == {HANDSHAKE}
