import assert from "node:assert/strict";
import { test } from "node:test";
import { outputOf, runCommand } from "../../support/command.ts";
import { places } from "../user/either.ts";
import type { Place } from "../user/place.ts";
import { HASH } from "./import-file.ts";

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
    const printed = await outputOf(["import", "-"], { env: place.env, input: CSV });
    assert.equal(printed, "Imported 0 users and 3 log entries\n");
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
      { username: "owner", password_hash: HASH },
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
}
