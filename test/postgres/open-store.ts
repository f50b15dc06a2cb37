import { once } from "node:events";
import { openPostgres } from "../../src/stores/postgres/store.ts";

/** Run by tests as a process: waits for a line, then opens the store and prints the result. */
const [url = ""] = process.argv.slice(2);

process.stdout.write("ready\n");
await once(process.stdin, "data");
try {
  const store = await openPostgres({ url });
  process.stdout.write(`${(await store.hasUsers()) ? "configured" : "empty"}\n`);
  await store.close();
} catch (error) {
  process.stdout.write(`${error}\n`);
}
process.stdin.destroy();
