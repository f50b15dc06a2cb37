import assert from "node:assert/strict";
import { dirname } from "node:path";
import { test } from "node:test";
import { send } from "../support/client.ts";
import { inDatabase } from "../support/database.ts";
import { SETUP_FORM } from "../support/gate.ts";
import { runSql } from "../support/postgres-admin.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { newFile } from "../support/store.ts";
import { tempDir } from "../support/temp-dir.ts";
import { gateWorkers, postAgain } from "./gate-workers.ts";

const server = await sharedPostgres();

const PROCESSES = 2;
/** At most 64, which fit into the hash queue of a process. */
const RACERS_EACH = 8;

for (const kind of ["SQLite", "PostgreSQL"] as const) {
  test(`${kind}: one of ${PROCESSES * RACERS_EACH} concurrent setups counts`, async (t) => {
    const gates = gateWorkers(t, PROCESSES);
    const file = await newFile(t);
    const DATA_DIR = kind === "SQLite" ? dirname(file) : await tempDir(t);
    const DATABASE_URL = kind === "SQLite" ? "" : await server.newDatabase();
    const urls = await gates.start({ DATA_DIR, DATABASE_URL });
    const racers = Array.from({ length: RACERS_EACH }, (_, n) =>
      urls.map((url, process) =>
        postAgain(`${url}/setup`, { ...SETUP_FORM, username: `racer-${process}-${n}` }),
      ),
    );
    const answers = await Promise.all(racers.flat());
    const [winner, ...others] = answers.filter(({ cookies }) => cookies.length > 0);
    assert.deepEqual([winner?.location, others], ["/", []], "one session");
    for (const { location, cookies } of answers) {
      assert.equal(location, cookies.length > 0 ? "/" : "/login");
    }
    const homes = await Promise.all(
      urls.map((url) => send(`${url}/account/profile`, { session: winner?.session })),
    );
    await gates.stop();

    const read = async (sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
      DATABASE_URL === ""
        ? inDatabase(file, (database) => database.prepare(sql).all())
        : runSql(DATABASE_URL, sql);
    const [user, ...more] = await read("SELECT username FROM latchkey_users");
    assert.deepEqual(more, [], "one account");
    assert.equal((await read("SELECT id FROM latchkey_log")).length, 1, "one entry");
    for (const { body } of homes) {
      assert.ok(body.includes(`"Signed in as ${user?.username}"`), "of the winner");
    }
  });
}
