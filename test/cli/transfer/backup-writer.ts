import { openSqlite } from "../../../src/stores/sqlite/store.ts";

/** Run by tests as a process: writes entries without end, and tells of each once it is in. */
const [file = ""] = process.argv.slice(2);

const store = await openSqlite({ file, missing: "refuse" });
for (let n = 0; ; n += 1) {
  const summary = `written ${n}`;
  await store.insertLogEntries([{ at: new Date(), type: "signin", summary, author: "system" }]);
  process.stdout.write(`${summary}\n`);
  await new Promise((resolve) => setImmediate(resolve));
}
