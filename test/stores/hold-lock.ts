import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";

/** Run by tests as a process: holds the write lock of a database until it gets a line. */
const [file = ""] = process.argv.slice(2);

const database = new DatabaseSync(file);
database.exec("BEGIN IMMEDIATE");
process.stdout.write("held\n");
await once(process.stdin, "data");
database.exec("COMMIT");
database.close();
process.stdout.write("released\n");
process.stdin.destroy();
