import { join } from "node:path";
import { test } from "node:test";
import { openSqlite } from "../../src/stores/sqlite/store.ts";
import { countOf } from "../support/database.ts";
import { tempDir } from "../support/temp-dir.ts";
import { PROCESSES, RACERS_EACH, ROUNDS, raceForAccount } from "./account-race.ts";

test(`exactly one of ${RACERS_EACH * PROCESSES} concurrent setups at ${PROCESSES} processes creates the account, in ${ROUNDS} rounds`, async (t) => {
  await raceForAccount(t, async () => {
    const dataDir = await tempDir(t);
    const file = join(dataDir, "latchkey.db");
    return {
      flags: { DATA_DIR: dataDir },
      countUsers: () => countOf(file, "users"),
      openLog: () => openSqlite({ file, missing: "refuse" }),
    };
  });
});
