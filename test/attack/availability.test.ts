import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { CannotTell } from "../../src/attack/attack.ts";
import { troubleDuring } from "../../src/attack/availability.ts";
import type { Target } from "../../src/attack/target.ts";
import { serveListener } from "../adapters/framework.ts";

/** A guard that answers with one status after the other, and then with the last one for ever. */
async function guard(t: TestContext, ...statuses: readonly number[]): Promise<Target> {
  let asked = 0;
  const { url, stop } = await serveListener((request, response) => {
    request.resume();
    response.writeHead(statuses[Math.min(asked, statuses.length - 1)] ?? 500).end();
    asked += 1;
  });
  t.after(stop);
  return {
    ...{ url, base: "", state: "configured", fresh: false },
    ...{ guarded: [], knownSecrets: [], workshop: undefined, attempts: 0, signal: undefined },
    place: { protocol: "http:", host: "127.0.0.1", port: Number(new URL(url).port) },
    account: { username: "owner", password: "x", token: "a", cookies: [] },
  };
}

const aborted = ({ signal }: Target): Promise<void> =>
  new Promise((resolve) => signal?.addEventListener("abort", () => resolve()));

test("work that goes on while the guard is asked is told to stop when that fails", async (t) => {
  const target = await guard(t, 422, 422, 500);
  let stopped = 0;
  const asking = troubleDuring(target, async () => {
    await aborted(target);
    stopped += 1;
  });
  await assert.rejects(asking, CannotTell);
  assert.deepEqual([stopped, target.signal], [1, undefined]);
});

test("work is stopped together with the whole attack", async (t) => {
  const stopping = new AbortController();
  const target = await guard(t, 422);
  target.signal = stopping.signal;
  const asking = troubleDuring(target, async () => {
    stopping.abort();
    assert.equal(target.signal?.aborted, true);
  });
  await assert.rejects(asking, { message: "stopped" });
  assert.equal(target.signal, stopping.signal);
});

test("work that comes to its end while the guard answers is no trouble", async (t) => {
  const target = await guard(t, 422);
  assert.equal(await troubleDuring(target, async () => {}), undefined);
});
