// Reconnection of reply streams: growing delays, and the silence after which a stream is lost.
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  firstRetryDelay, isSignOfLife, MAX_RETRY_MS, maxRetryDelay, maxSilence, retryDelay,
} from "../../static/js/reconnection.js";

const KEEP_ALIVE_MS = 3_000;
const delays = (hasResponse) => [0, 1, 2, 3, 4, 5, 9].map((attempts) => retryDelay(1_000, attempts, hasResponse));

describe("delay before an attempt", () => {
  test("the first delay is random, so that browsers do not connect all at once", () => {
    assert.deepEqual([0, 0.5, 1].map(firstRetryDelay), [500, 1_250, 2_000]);
  });

  test("delays double up to half a minute while something else responds", () => {
    assert.deepEqual(delays(true), [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    assert.equal(maxRetryDelay(true), MAX_RETRY_MS);
  });

  test("delays stay short while nothing responds, because the portal may be restarting", () => {
    assert.deepEqual(delays(false), [1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 8_000]);
    assert.equal(maxRetryDelay(false), 8_000);
  });
});

describe("silence", () => {
  test("one late keep-alive event is tolerated", () => {
    for (const event of [undefined, "ping", "delta"]) {
      assert.ok(maxSilence(event, 20_000) > 2 * KEEP_ALIVE_MS);
      assert.ok(maxSilence(event, 20_000) <= 7_000);
    }
  });

  test("a stream that the portal has told to reconnect is silent for longer", () => {
    assert.equal(maxSilence("reconnect", 20_000), maxSilence() + 20_000);
  });

  test("only an event of the reply or a keep-alive ends the growth of the delays", () => {
    assert.deepEqual(["ping", "delta", "reconnect"].map(isSignOfLife), [true, true, false]);
  });
});
