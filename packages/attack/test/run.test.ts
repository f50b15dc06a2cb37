import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { test } from "node:test";
import { LOCALHOST } from "../../../test/gate/https/secure-gate.ts";
import { listenOn } from "../../../test/support/listen.ts";
import { type Attack, forEach } from "../src/attack.ts";
import { Undecided, UsageError } from "../src/errors.ts";
import { findTarget } from "../src/find.ts";
import { runAttacks } from "../src/run.ts";
import { send, type Target } from "../src/target.ts";
import { startSampleServer } from "./sample-server.ts";

const about = { about: "", meaning: "", noun: "things", verb: "went wrong", needs: [] } as const;

const attackThat = (run: Attack["run"]): Attack => ({ ...about, name: "example", run });

const targetAt = (url: string): Promise<Target> => findTarget({ url, guarded: [], fresh: false });

test("reports an attack over the time limit, and all later ones, as undecided", async (t) => {
  const { url } = await startSampleServer(t);
  const silent = createServer();
  const port = await listenOn(t, silent);
  const target = await targetAt(url);
  const address = { ...target.address, port };
  const waits = attackThat(async (asked) => {
    await send({ ...asked, address }, { path: "/login" });
  });
  const results = await runAttacks(target, {
    attacks: [waits, waits],
    granted: new Set(),
    withinMs: 80,
  });
  assert.deepEqual(
    results.map(({ outcome, findings }) => [outcome, ...findings]),
    [
      ["undecided", "the time limit was reached"],
      ["undecided", "no time left"],
    ],
  );
});

test("runs an attack over every HTTP version that it names and the server offers", async (t) => {
  const { url } = await startSampleServer(t, { certificate: LOCALHOST });
  const versions: string[] = [];
  const attack = attackThat(async ({ address }, tally) => {
    versions.push(address.http2 === undefined ? "1.1" : "2");
    tally.tried();
    tally.gotThrough("something");
  });
  const target = await targetAt(url);
  const [first, second] = await runAttacks(target, {
    attacks: [{ ...attack, versions: ["1.1", "2"] }, attack],
    granted: new Set(),
    withinMs: 10_000,
  });
  assert.deepEqual(versions, ["1.1", "2", "1.1"]);
  assert.deepEqual(first?.findings, ["something", "over HTTP/2: something"]);
  assert.deepEqual(second?.findings, ["something"]);
  assert.equal(target.address.http2, undefined);
});

test("counts what got through even if the attack fails afterwards", async (t) => {
  const { url } = await startSampleServer(t);
  const target = await targetAt(url);
  const [result] = await runAttacks(target, {
    attacks: [
      attackThat(async (_target, tally) => {
        tally.tried();
        tally.gotThrough("something");
        throw new Undecided("gone");
      }),
    ],
    granted: new Set(),
    withinMs: 10_000,
  });
  assert.deepEqual([result?.outcome, result?.findings], ["got-through", ["something"]]);
});

test("reports an attack that tried nothing as undecided", async (t) => {
  const { url } = await startSampleServer(t);
  const [result] = await runAttacks(await targetAt(url), {
    attacks: [attackThat(async () => undefined)],
    granted: new Set(),
    withinMs: 10_000,
  });
  assert.equal(result?.outcome, "undecided");
});

test("reports a server that stops listening as undecided, with the reason", async (t) => {
  const { url } = await startSampleServer(t);
  const target = await targetAt(url);
  const closed = createServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, "close");
  const requests = attackThat(async (asked, tally) => {
    tally.tried();
    await send({ ...asked, address: { ...target.address, port } }, { path: "/login" });
  });
  const [result] = await runAttacks(target, {
    attacks: [requests],
    granted: new Set(),
    withinMs: 10_000,
  });
  assert.deepEqual(
    [result?.outcome, result?.findings],
    ["undecided", ["the server: connection refused"]],
  );
});

test("rejects with the error of a broken attack", async (t) => {
  const { url } = await startSampleServer(t);
  const target = await targetAt(url);
  const broken = attackThat(async () => {
    throw new TypeError("a bug");
  });
  await assert.rejects(
    runAttacks(target, { attacks: [broken], granted: new Set(), withinMs: 10_000 }),
    TypeError,
  );
});

test("rejects --fresh for a host that is not a plain loopback name", async (t) => {
  const { url } = await startSampleServer(t);
  const { port } = new URL(url);
  // Both addresses reach this machine, but do not look like loopback.
  for (const host of ["0.0.0.0", "[::ffff:127.0.0.1]"]) {
    await assert.rejects(
      findTarget({ url: `http://${host}:${port}`, guarded: [], fresh: true }),
      UsageError,
      host,
    );
  }
});

test("forEach works on every item, also on those that are undefined", async () => {
  const seen: unknown[] = [];
  await forEach([undefined, 1, undefined], 2, async (item) => void seen.push(item));
  assert.deepEqual(seen, [undefined, 1, undefined]);
});
