"""JWTs of an identity provider: its keys are fetched, kept and rotated."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from service.access import jwks
from service.access.jwks import KeysUnavailable
from service.access.jwt_tokens import InvalidToken, Tokens
from tests.service.provider import MAKE, Provider
from tests.support.clock import AdjustableClock
from tests.support.upstream import Call


@pytest.mark.spec("S72")
def test_a_jwt_of_the_provider_names_its_bearer(tokens: Tokens, provider: Provider):
    for algorithm in MAKE:
        provider.add(algorithm, algorithm)
    for algorithm in MAKE:
        bearer = tokens.read(provider.sign(algorithm, groups=["staff", "tutors"]))

        assert (bearer.sub, bearer.groups) == ("alice", {"staff", "tutors"})


def test_its_keys_are_fetched_once(tokens: Tokens, provider: Provider):
    for _ in range(5):
        tokens.read(provider.sign("one"))

    assert provider.fetched == 1


def test_a_new_key_is_fetched_when_it_is_seen_but_not_too_often(tokens: Tokens, provider: Provider):
    tokens.read(provider.sign("one"))
    provider.add("two")
    with pytest.raises(InvalidToken):
        tokens.read(provider.sign("two"))
    assert provider.fetched == 1

    tokens._provider.cooldown_duration = 0

    assert tokens.read(provider.sign("two")).sub == "alice"
    assert provider.fetched == 2


def test_a_withdrawn_key_is_refused_after_a_while(tokens: Tokens, provider: Provider):
    old = provider.sign("one")
    tokens.read(old)
    provider.keys.clear()
    provider.add("two")
    tokens._provider.jwk_set_cache.lifespan = 0

    with pytest.raises(InvalidToken):
        tokens.read(old)


BAD_ANSWERS = [
    (500, {}),
    (200, []),
    (200, {"keys": []}),
    (200, b"not JSON"),
    (200, b" " * (jwks.MAX_BYTES + 1)),
    (302, {}),
]


def test_keys_of_a_failing_provider_are_kept_for_an_hour(
    tokens: Tokens, provider: Provider, clock: AdjustableClock
):
    for answer in BAD_ANSWERS:
        provider.answer = None
        tokens._provider.jwk_set_cache.lifespan = 0
        clock.advance(jwks.RETRY_SECONDS + 1)
        tokens.read(provider.sign("one"))
        provider.answer = answer
        fetched = provider.fetched

        for _ in range(3):
            assert tokens.read(provider.sign("one")).sub == "alice"
        assert provider.fetched == fetched + 1, answer

        clock.advance(jwks.STALE_SECONDS + 1)
        for _ in range(3):
            with pytest.raises(KeysUnavailable):
                tokens.read(provider.sign("one"))
        assert provider.fetched == fetched + 2, answer


def drip(call: Call) -> None:
    call.send_head()
    call.send_until_disconnect(b" ")


def test_a_provider_that_never_finishes_is_given_up(tokens: Tokens, provider: Provider):
    tokens.read(provider.sign("one"))
    tokens._provider.jwk_set_cache.lifespan = 0
    tokens._provider.timeout_seconds = 0.2
    provider.upstream.answers["/jwks"] = drip

    assert tokens.read(provider.sign("one")).sub == "alice"


def test_a_slow_provider_delays_nobody_whose_key_is_known(tokens: Tokens, provider: Provider):
    good = provider.sign("one")
    tokens.read(good)
    tokens._provider.cooldown_duration = 0
    provider.add("two")
    provider.upstream.held_paths.add("/jwks")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(tokens.read, provider.sign("two"))
        call = provider.upstream.next_call()
        assert tokens.read(good).sub == "alice"
        call.respond(500, {})
        with pytest.raises(InvalidToken):
            waiting.result(10)
