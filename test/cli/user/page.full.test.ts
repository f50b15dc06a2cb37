import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { sqlitePlace } from "./place.ts";
import { ENTER, onTerminal, type Typing } from "./terminal.ts";

/** The pages with sessions of commands, each for a database that has the account "owner". */
const PAGES = ["accounts", "reset-password", "second-factors", "secret", "sessions"] as const;

const PASSWORD = "correct horse";

interface Step {
  readonly line: string;
  /** The output that the page shows. */
  readonly shown: string;
}

/** The commands of the page's sessions, in their order. */
function stepsOf(text: string): readonly Step[] {
  const sessions = [...text.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(
    ([, session]) => session,
  );
  return sessions.flatMap((session = "") =>
    session
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const [line = ""] = step.split("\n", 1);
        return { line, shown: step.slice(line.length + 1) };
      }),
  );
}

/** What has to be typed to get that output. */
function typingFor(shown: string): Typing {
  return shown.split("\n").flatMap((row): Typing => {
    if (/^(New password|Repeat the password):$/.test(row)) return [[row, `${PASSWORD}${ENTER}`]];
    const [, question, answer] = /^(Remove .*\] )(.*)$/.exec(row) ?? [];
    return question === undefined ? [] : [[question, `${answer}${ENTER}`]];
  });
}

/** IDs, times and secrets differ each time, and so does the order of a list by ID. */
function withoutChance(shown: string): string {
  return stripVTControlCharacters(shown)
    .replace(/ +$/gm, "")
    .replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/gm, "ID")
    .replace(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/gm, "TIME")
    .replace(/^[\w-]{43}$/gm, "SECRET")
    .replace(/(^\S+ .* ID\n)+/gm, (rows) =>
      rows.split("\n").filter(Boolean).sort().join("\n").concat("\n"),
    );
}

for (const name of PAGES) {
  test(`every session in docs/${name}.md prints what the page shows`, async (t) => {
    const page = await readFile(new URL(`../../../docs/${name}.md`, import.meta.url), "utf8");
    const place = await sqlitePlace(t, "owner");
    const owner = await place.store.users.findByName("owner");
    assert.ok(owner !== undefined);
    const turnOnCodes = async (): Promise<void> => {
      await place.store.codes.begin(owner.id, "");
      const codes = { secret: "codes to turn off", lastStep: 0, recovery: [], wrong: 0 };
      await place.store.codes.turnOn(owner.id, "", codes);
    };
    await turnOnCodes();
    const session = {
      id: "5f0c1d7f7d9e4a3b8c6d2e1f0a9b8c7d",
      userId: owner.id,
      createdAt: new Date("2026-11-21T07:02:11Z"),
      usedAt: new Date("2026-11-21T07:02:11Z"),
      expiresAt: new Date("2100-01-01"),
      address: "192.0.2.7",
      device: "Firefox on Linux",
    };
    const { createdAt, expiresAt, device } = session;
    const id = "qnl0yQ2Vh0VdE5mqTr4xvB0sYk1c3uJZ8fWg7aLpN9E";
    const remembered = { id, userId: owner.id, createdAt, expiresAt, device, boundTo: "codes" };
    const env = { ...place.env, NEW_PASSWORD: "from a script" };
    const steps = stepsOf(page);
    assert.ok(steps.length > 0, "finds sessions");
    for (const { line, shown } of steps) {
      // An earlier command has ended all sessions.
      if (line.includes(" session list ")) {
        await place.store.sessions.insert(session);
        await place.store.devices.insert(remembered);
      }
      const ran = await onTerminal(t, line, env, typingFor(shown));
      // Its path is another one on each machine.
      const told = ran.shown.replace(/^latchkey: the database is .*\n/m, "");
      assert.equal(withoutChance(told), withoutChance(shown), line);
      assert.equal(ran.code, /^latchkey: /m.test(shown) ? 1 : 0, line);
    }
    assert.deepEqual(Object.keys(await place.accounts()), ["owner"]);
  });
}
