import assert from "node:assert/strict";
import { test } from "node:test";
import { runCommand } from "../../support/command.ts";
import { logEntry } from "../../support/store.ts";
import { places } from "../user/either.ts";
import type { Place } from "../user/place.ts";
import { fileWith } from "./import-file.ts";

const CSV = `Action,Detail,created_at
signin,Signed in as owner,2023-05-01 10:00:01
signup,Created account owner,2023-05-01T12:00:00+02:00
signin_rate_limited,"Rate limited login from 2001:db8::1",1700000000
`;

async function shown(place: Place): Promise<readonly string[]> {
  const entries = await place.store.readLogEntries({ afterId: 0, limit: 100 });
  return entries.map(
    ({ at, type, summary, author }) => `${at.toISOString()} ${author} ${type}: ${summary}`,
  );
}

for (const [kind, open] of Object.entries(places)) {
  test(`${kind}: imports log records of the older variant as system entries, sorted by time`, async (t) => {
    const place = await open(t);
    const { code, stdout } = await runCommand(["import", await fileWith(t, CSV)], {
      env: place.env,
    });
    assert.deepEqual([code, stdout], [0, "Imported 0 users and 3 log entries\n"]);
    const [signUp, signIn, limited, imported, ...others] = await shown(place);
    assert.deepEqual(
      [signUp, signIn, limited],
      [
        "2023-05-01T10:00:00.000Z system signup: Created account owner",
        "2023-05-01T10:00:01.000Z system signin: Signed in as owner",
        "2023-11-14T22:13:20.000Z system signin_rate_limited: Rate limited login from 2001:db8::1",
      ],
    );
    assert.match(imported ?? "", /Z cli log_import: Imported log entries: 3$/);
    assert.deepEqual(others, []);
  });

  test(`${kind}: imports users and log records from one file; refuses unknown actions and missing times`, async (t) => {
    const place = await open(t);
    const text = [
      { Action: "signin", Detail: "Signed in as owner", Time: 1_600_000_000 },
      { Action: "signout", Detail: "Signed out", Time: 1_600_000_001 },
      { Action: "signin", Detail: "Signed in as owner" },
      {
        username: "owner",
        password_hash: "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
      },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join("");
    const refusals =
      "latchkey: line 2: unknown Action\n" +
      "latchkey: line 3: the time is missing (at, Time or created_at)\n";
    const strict = await runCommand(["import", "-"], { env: place.env, input: text });
    assert.deepEqual([strict.code, strict.stdout], [1, ""]);
    assert.ok(strict.stderr.startsWith(refusals), strict.stderr);
    assert.deepEqual(await shown(place), []);
    assert.deepEqual(
      await runCommand(["import", "-", "--skip-bad"], { env: place.env, input: text }),
      {
        ...{ code: 1, stderr: refusals },
        stdout: "Imported 1 user and 1 log entry; 2 lines refused\n",
      },
    );
    assert.deepEqual(await place.entries(), [
      "system signin: Signed in as owner",
      "cli user_import: Imported accounts: 1",
      "cli log_import: Imported log entries: 1",
    ]);
  });

  test(`${kind}: log --since prints newer entries after an import of many old records`, async (t) => {
    const place = await open(t);
    const recent = logEntry("recent", { at: new Date(Date.now() - 60_000) });
    await place.store.insertLogEntries([recent]);
    const old = Array.from({ length: 12_000 }, (_, n) => `signin,old ${n},${1_600_000_000 + n}\n`);
    const file = await fileWith(t, `Action,Detail,at\n${old.join("")}`);
    assert.equal((await runCommand(["import", file], { env: place.env })).code, 0);
    const since = await place.store.readLogEntries({
      ...{ afterId: 0, limit: 20_000 },
      since: new Date(1_600_000_000_000),
    });
    assert.equal(since.length, 12_002);
    assert.equal(since[0]?.summary, "recent");
  });
}
