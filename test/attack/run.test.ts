import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { test } from "node:test";
import { type Attack, CannotTell } from "../../src/attack/attack.ts";
import { findTarget, NoTarget } from "../../src/attack/find.ts";
import { runAttacks } from "../../src/attack/run.ts";
import { send, type Target } from "../../src/attack/target.ts";
import { startSmallDoor } from "./small-door.ts";

const about = { about: "", meaning: "", noun: "things", verb: "went wrong", needs: [] } as const;

const attackThat = (run: Attack["run"]): Attack => ({ ...about, name: "example", run });

const targetAt = (url: string): Promise<Target> =>
  findTarget({ url, guarded: [], knownSecrets: [], fresh: false });

test("an attack that takes longer than there is time is undecided, and so are those after it", async (t) => {
  const { url } = await startSmallDoor(t);
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  t.after(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const target = await targetAt(url);
  const place = { ...target.place, port };
  const waits = attackThat(async (asked) => {
    await send({ ...asked, place }, { path: "/login" });
  });
  const results = await runAttacks(target, {
    attacks: [waits, waits],
    granted: new Set(),
    withinMs: 80,
  });
  assert.deepEqual(
    results.map(({ outcome, findings }) => [outcome, ...findings]),
    [
      ["undecided", "it took too long"],
      ["undecided", "there was no time left for it"],
    ],
  );
});

test("what has got through counts although the server goes away afterwards", async (t) => {
  const { url } = await startSmallDoor(t);
  const target = await targetAt(url);
  const [result] = await runAttacks(target, {
    attacks: [
      attackThat(async (_target, tally) => {
        tally.tried();
        tally.gotThrough("something");
        throw new CannotTell("it is gone");
      }),
    ],
    granted: new Set(),
    withinMs: 10_000,
  });
  assert.deepEqual([result?.outcome, result?.findings], ["got-through", ["something"]]);
});

test("an attack that tried nothing has not passed", async (t) => {
  const { url } = await startSmallDoor(t);
  const [result] = await runAttacks(await targetAt(url), {
    attacks: [attackThat(async () => undefined)],
    granted: new Set(),
    withinMs: 10_000,
  });
  assert.equal(result?.outcome, "undecided");
});

test("a server that goes away in between is undecided, with the reason", async (t) => {
  const { url } = await startSmallDoor(t);
  const target = await targetAt(url);
  const nobody = createServer().listen(0, "127.0.0.1");
  await once(nobody, "listening");
  const { port } = nobody.address() as AddressInfo;
  nobody.close();
  await once(nobody, "close");
  const asks = attackThat(async (asked, tally) => {
    tally.tried();
    await send({ ...asked, place: { ...target.place, port } }, { path: "/login" });
  });
  const [result] = await runAttacks(target, {
    attacks: [asks],
    granted: new Set(),
    withinMs: 10_000,
  });
  assert.deepEqual(
    [result?.outcome, result?.findings],
    ["undecided", ["the server: nobody listens there"]],
  );
});

test("a mistake in an attack is no result", async (t) => {
  const { url } = await startSmallDoor(t);
  const target = await targetAt(url);
  const broken = attackThat(async () => {
    throw new TypeError("a mistake");
  });
  await assert.rejects(
    runAttacks(target, { attacks: [broken], granted: new Set(), withinMs: 10_000 }),
    TypeError,
  );
});

test("no server elsewhere is attacked as a fresh one, whatever its address looks like", async (t) => {
  const { url } = await startSmallDoor(t);
  const { port } = new URL(url);
  // An address of this machine that is not one of loopback's plain spellings.
  for (const host of ["0.0.0.0", "[::ffff:127.0.0.1]"]) {
    await assert.rejects(
      findTarget({
        url: `http://${host}:${port}`,
        guarded: [],
        knownSecrets: [],
        fresh: true,
      }),
      (error) => error instanceof NoTarget && error.fault === "usage",
      host,
    );
  }
});
