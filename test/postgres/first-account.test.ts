import { test } from "node:test";
import { openPostgres } from "../../src/stores/postgres/store.ts";
import { runSql } from "../support/postgres-admin.ts";
import { serverOfFile } from "../support/postgres-file.ts";
import { tempDir } from "../support/temp-dir.ts";
import { PROCESSES, RACERS_EACH, ROUNDS, raceForAccount } from "../system/account-race.ts";

const server = await serverOfFile();

test(`exactly one of ${RACERS_EACH * PROCESSES} concurrent setups at ${PROCESSES} machines creates the account, in ${ROUNDS} rounds`, async (t) => {
  await raceForAccount(t, async () => {
    const url = await server.newDatabase();
    return {
      flags: { DATABASE_URL: url, DATA_DIR: await tempDir(t) },
      async countUsers() {
        const [row] = await runSql(url, "SELECT count(*) FROM latchkey_users");
        return Number(row?.count);
      },
      openLog: () => openPostgres({ url, missing: "refuse" }),
    };
  });
});
