import { once } from "node:events";
import type { PasswordHash } from "../../src/core/store.ts";
import { openSqlite } from "../../src/stores/sqlite/store.ts";

/** Run by tests as a process: waits for a line, then opens the database and inserts the first user. */
const [file = "", username = ""] = process.argv.slice(2);

process.stdout.write("ready\n");
await once(process.stdin, "data");
const store = await openSqlite({ file });
const user = await store.insertFirstUser({ username, passwordHash: "a hash" as PasswordHash });
store.close();
process.stdout.write(`${user === undefined ? "second" : "first"}\n`);
process.stdin.destroy();
