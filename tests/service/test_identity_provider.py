"""JWTs of an identity provider: its keys are fetched, cached and rotated."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.service.identity_provider import KEY_FACTORIES, IdentityProvider
from tests.support.clock import AdjustableClock
from tests.support.upstream import Call
from twindow.core import jwks
from twindow.core.jwks import SigningKeysUnavailable
from twindow.service.container import Container
from twindow.service.credentials.jwt_tokens import InvalidToken, JwtTokens
from twindow.service.key_issuer import KeyIssuer


@pytest.mark.spec("S72")
def test_provider_jwt_identifies_the_person_and_their_groups(
    tokens: JwtTokens, identity_provider: IdentityProvider
):
    for algorithm in KEY_FACTORIES:
        identity_provider.add_key(algorithm, algorithm)
    for algorithm in KEY_FACTORIES:
        bearer = tokens.verify(identity_provider.sign(algorithm, groups=["staff", "tutors"]))

        assert (bearer.sub, bearer.groups) == ("alice", {"staff", "tutors"})


def test_provider_keys_are_fetched_once(tokens: JwtTokens, identity_provider: IdentityProvider):
    for _ in range(5):
        tokens.verify(identity_provider.sign("one"))

    assert identity_provider.fetch_count == 1


def test_unknown_key_id_triggers_a_fetch_after_a_cooldown(
    tokens: JwtTokens, identity_provider: IdentityProvider
):
    tokens.verify(identity_provider.sign("one"))
    identity_provider.add_key("two")
    with pytest.raises(InvalidToken):
        tokens.verify(identity_provider.sign("two"))
    assert identity_provider.fetch_count == 1

    tokens._provider_keys.cooldown_duration = 0

    assert tokens.verify(identity_provider.sign("two")).sub == "alice"
    assert identity_provider.fetch_count == 2


def test_jwt_with_a_withdrawn_signing_key_is_rejected_after_the_cache_expires(
    tokens: JwtTokens, identity_provider: IdentityProvider
):
    old = identity_provider.sign("one")
    tokens.verify(old)
    identity_provider.keys.clear()
    identity_provider.add_key("two")
    tokens._provider_keys.jwk_set_cache.lifespan = 0

    with pytest.raises(InvalidToken):
        tokens.verify(old)


BAD_ANSWERS = [
    (500, {}),
    (200, []),
    (200, {"keys": []}),
    (200, b"not JSON"),
    (200, b" " * (10 * jwks.MAX_JWKS_BYTES)),
    (302, {}),
]


def test_cached_keys_are_used_for_an_hour_while_the_provider_fails(
    tokens: JwtTokens, identity_provider: IdentityProvider, clock: AdjustableClock
):
    for answer in BAD_ANSWERS:
        identity_provider.forced_answer = None
        tokens._provider_keys.jwk_set_cache.lifespan = 0
        clock.advance(jwks.RETRY_SECONDS + 1)
        tokens.verify(identity_provider.sign("one"))
        identity_provider.forced_answer = answer
        fetched = identity_provider.fetch_count

        for _ in range(3):
            assert tokens.verify(identity_provider.sign("one")).sub == "alice"
        assert identity_provider.fetch_count == fetched + 1, answer

        clock.advance(jwks.MAX_STALE_SECONDS + 1)
        for _ in range(3):
            with pytest.raises(SigningKeysUnavailable):
                tokens.verify(identity_provider.sign("one"))
        assert identity_provider.fetch_count == fetched + 2, answer


def drip(call: Call) -> None:
    call.send_head()
    call.send_until_disconnect(b" ")


def test_endless_provider_response_times_out(
    tokens: JwtTokens, identity_provider: IdentityProvider
):
    tokens.verify(identity_provider.sign("one"))
    tokens._provider_keys.jwk_set_cache.lifespan = 0
    tokens._provider_keys.timeout_seconds = 0.2
    identity_provider.upstream.answers["/jwks"] = drip

    assert tokens.verify(identity_provider.sign("one")).sub == "alice"


def test_slow_provider_does_not_delay_jwts_with_known_keys(
    tokens: JwtTokens, identity_provider: IdentityProvider
):
    good = identity_provider.sign("one")
    tokens.verify(good)
    tokens._provider_keys.cooldown_duration = 0
    identity_provider.add_key("two")
    identity_provider.upstream.unanswered_paths.add("/jwks")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(tokens.verify, identity_provider.sign("two"))
        call = identity_provider.upstream.next_call()
        assert tokens.verify(good).sub == "alice"
        call.respond(500, {})
        with pytest.raises(InvalidToken):
            waiting.result(10)


def test_portal_signs_no_jwt_for_a_person_of_a_provider(tokens: JwtTokens, container: Container):
    issuer = KeyIssuer(tokens, container.api_keys, container.conversations)

    assert issuer.sign("alice", ()) == ""
