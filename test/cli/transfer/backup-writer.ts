import { openSqlite } from "../../../src/db/sqlite/store.ts";

/** Started by tests as a process: writes entries forever and prints each one that is acknowledged. */
const [file = ""] = process.argv.slice(2);

const store = await openSqlite({ file, missing: "refuse" });
for (let n = 0; ; n += 1) {
  const summary = `written ${n}`;
  await store.log.insert([{ at: new Date(), type: "signin", summary, author: "system" }]);
  process.stdout.write(`${summary}\n`);
  await new Promise((resolve) => setImmediate(resolve));
}
