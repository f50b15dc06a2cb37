import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOf, outputOf } from "../../support/command.ts";
import { startPostgres } from "../../support/postgres.ts";
import { requirePasswords } from "../../support/postgres-security.ts";
import { startLatchkey } from "../../support/process.ts";
import { fileWith } from "../../support/temp-dir.ts";
import { filled } from "./backup-place.ts";

test("takes the password from PGPASSWORD or a file, outside of process lists", async (t) => {
  const server = await startPostgres(t);
  await requirePasswords(server);
  const database = await server.createDatabase();
  await server.sql("CREATE ROLE mover LOGIN PASSWORD 'hunter2'");
  await server.sql(`ALTER DATABASE ${database} OWNER TO mover`);
  const source = await filled(t, ["owner"], 1);
  const target = `postgres://mover@127.0.0.1:${server.port}/${database}`;
  const args = ["copy", "--from", `sqlite:${source.database}`, "--to", target];
  assert.match(await failureOf(args), /^cannot use .*password/);
  assert.equal((await startLatchkey(t, args, { PGPASSWORD: "hunter2" }).ended).code, 0);

  const file = await fileWith(t, `${target.replace("mover@", "mover:hunter2@")}\n`);
  const back = ["copy", "--from", `@${file}`, "--to", `sqlite:${file}.db`];
  assert.doesNotMatch(await outputOf(back), /hunter2/);
});
