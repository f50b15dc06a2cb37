import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { outputOf } from "../../support/command.ts";
import { inDatabase } from "../../support/database.ts";
import { startNode } from "../../support/process.ts";
import { contentOf, filled, startHeld } from "./backup-place.ts";

const WRITER = fileURLToPath(new URL("./backup-writer.ts", import.meta.url));
const ENTRIES = 20_000;
const ROUNDS = 5;

test("a backup during constant writes has every entry acknowledged before it began", async (t) => {
  const place = await filled(t, ["owner"], ENTRIES);
  const writer = startNode(t, [WRITER, place.database], {});
  await writer.shows(/^written 0$/m);
  const acknowledged = () => writer.stdout().match(/^written \d+$/gm) ?? [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = acknowledged();
    const file = `${place.backup}.${round}`;
    await outputOf(["backup", file], { env: place.env });
    assert.ok(acknowledged().length > before.length, "it went on writing");
    const { usernames, summaries } = await contentOf(file);
    assert.deepEqual(usernames, ["owner"]);
    const written = summaries.slice(ENTRIES);
    assert.deepEqual(written.slice(0, before.length), before);
    const whole = written.map((_, n) => `written ${n}`);
    assert.deepEqual(written, whole, "a moment of the whole, without gaps");
    const check = inDatabase(file, (database) => database.prepare("PRAGMA integrity_check").get());
    assert.equal(check?.integrity_check, "ok");
  }
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  test(`${signal} stops a backup and leaves no file`, async (t) => {
    const place = await filled(t, ["owner"], 1);
    const running = await startHeld(t, place, place.backup);
    running.child.kill(signal);
    const ended = await running.ended;
    assert.deepEqual([ended.signal, ended.stdout], [signal, ""]);
    assert.deepEqual(await readdir(dirname(place.backup)), []);
  });
}

test("a killed backup leaves no file under its name, and the next backup succeeds", async (t) => {
  const place = await filled(t, ["owner"], 2);
  const running = await startHeld(t, place, place.backup);
  running.child.kill("SIGKILL");
  await running.ended;
  running.release();
  const left = await readdir(dirname(place.backup));
  assert.ok(
    left.length > 0 && left.every((name) => /^backup\.db\.[0-9a-f]{8}\.partial/.test(name)),
  );
  await outputOf(["backup", place.backup], { env: place.env });
  assert.deepEqual((await contentOf(place.backup)).summaries, ["entry 0", "entry 1"]);
});
