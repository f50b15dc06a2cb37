import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { serveListener } from "../../../test/adapters/framework.ts";
import { guardProblemDuring } from "../src/availability.ts";
import { Undecided } from "../src/errors.ts";
import type { Target } from "../src/target.ts";

/** A guard that responds with each status in turn, and with the last one from then on. */
async function startGuard(t: TestContext, ...statuses: readonly number[]): Promise<Target> {
  let requests = 0;
  const { url, stop } = await serveListener((request, response) => {
    request.resume();
    response.writeHead(statuses[Math.min(requests, statuses.length - 1)] ?? 500).end();
    requests += 1;
  });
  t.after(stop);
  return {
    url,
    versions: ["1.1"],
    base: "",
    state: "configured",
    fresh: false,
    guarded: [],
    echo: undefined,
    access: undefined,
    oidc: undefined,
    attempts: 0,
    signal: undefined,
    address: { protocol: "http:", host: "127.0.0.1", port: Number(new URL(url).port) },
    account: { username: "owner", password: "x", token: "a", cookies: [], planted: "b" },
  };
}

const aborted = ({ signal }: Target): Promise<void> =>
  new Promise((resolve) => signal?.addEventListener("abort", () => resolve()));

test("stops the work when the guard fails meanwhile", async (t) => {
  const target = await startGuard(t, 422, 422, 500);
  let stopped = 0;
  const checking = guardProblemDuring(target, async () => {
    await aborted(target);
    stopped += 1;
  });
  await assert.rejects(checking, Undecided);
  assert.deepEqual([stopped, target.signal], [1, undefined]);
});

test("stops the work with the attack", async (t) => {
  const stopping = new AbortController();
  const target = await startGuard(t, 422);
  target.signal = stopping.signal;
  const checking = guardProblemDuring(target, async () => {
    stopping.abort();
    assert.equal(target.signal?.aborted, true);
  });
  await assert.rejects(checking, { message: "stopped" });
  assert.equal(target.signal, stopping.signal);
});

test("reports no problem if the guard responds until the work is done", async (t) => {
  const target = await startGuard(t, 422);
  assert.equal(await guardProblemDuring(target, async () => {}), undefined);
});
