import assert from "node:assert/strict";
import { test } from "node:test";
import { send } from "../support/client.ts";
import { outputOf, runCommand } from "../support/command.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { tempDir } from "../support/temp-dir.ts";
import { gateWorkers, postAgain } from "./gate-workers.ts";

const server = await sharedPostgres();

const PROCESSES = 2;
/** Of one address, so that the limit of none of the processes is reached. */
const RACERS_EACH = 6;
const PASSWORD = "correct horse";

for (const kind of ["SQLite", "PostgreSQL"] as const) {
  test(`${kind}: a link opens as often as it has uses at ${PROCESSES} gates`, async (t) => {
    const gates = gateWorkers(t, PROCESSES);
    const DATA_DIR = await tempDir(t);
    const DATABASE_URL = kind === "SQLite" ? "" : await server.newStoreDatabase();
    const env = { DATA_DIR, DATABASE_URL, PUBLIC_URL: "http://127.0.0.1" };
    const input = PASSWORD;
    await outputOf(["user", "add", "owner", "--password-stdin", "--create"], { env, input });
    const urls = await gates.start({ DATA_DIR, DATABASE_URL });

    async function race(uses: number, ...args: readonly string[]): Promise<void> {
      const { stdout } = await runCommand(["link", ...args], { env });
      const { pathname } = new URL(stdout.trim());
      const racers = Array.from({ length: RACERS_EACH }, (_, n) =>
        urls.map((url, process) => {
          const username = `${args[0]} ${process} ${n}`;
          const password = `${PASSWORD} of ${username}`;
          return postAgain(url + pathname, { username, password, confirm: password });
        }),
      );
      const answers = await Promise.all(racers.flat());
      const sessions = answers.flatMap(({ session }) => session ?? []);
      const accepted = answers.filter(({ status }) => status === 303);
      assert.equal(accepted.length, uses, args.join(" "));
      assert.equal(answers.filter(({ status }) => status === 404).length, answers.length - uses);
      for (const session of sessions) {
        const known = await Promise.all(urls.map((url) => send(`${url}/account/me`, { session })));
        for (const { status } of known) assert.equal(status, 200);
      }
    }

    await race(1, "invite");
    await race(2, "guest", "visitor", "--groups", "photos", "--uses", "2");
    await race(1, "reset", "owner");
    const list = await outputOf(["user", "list", "--json"], { env });
    assert.equal(list.trim().split("\n").length, 4, "an account for each use");
    assert.equal(await outputOf(["link", "list"], { env }), "");
  });
}
