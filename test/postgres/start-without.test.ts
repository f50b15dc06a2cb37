import assert from "node:assert/strict";
import { test } from "node:test";
import { send } from "../support/client.ts";
import { serveHere } from "../support/command.ts";
import { eventually } from "../support/eventually.ts";
import { SECRET, SETUP_FORM } from "../support/gate.ts";
import { inSeconds, mint } from "../support/mint.ts";
import { serverOfFile } from "../support/postgres-file.ts";
import { tempDir } from "../support/temp-dir.ts";

const server = await serverOfFile();

test("waits for a later database, and ends if it cannot use it", async (t) => {
  const DATABASE_URL = await server.newDatabase();
  await server.stop();
  const DATA_DIR = await tempDir(t);
  const env = { DATA_DIR, AUTH_SECRET: SECRET, TRUSTED_PROXIES: "127.0.0.1" };
  const gate = await serveHere(t, { ...env, DATABASE_URL });
  const wrong = await serveHere(t, { ...env, DATABASE_URL: server.url("missing") });
  const stopped = await serveHere(t, { ...env, DATABASE_URL });
  const session = mint({ sub: "someone", exp: inSeconds(60) });
  const statusOf = async (path: string, sending = {}) =>
    (await send(`${gate.url}${path}`, sending)).status;
  const asGuard = () => statusOf("/forward-auth", { session });

  const form = { ...SETUP_FORM };
  assert.deepEqual(
    await Promise.all([
      ...[statusOf("/healthz"), statusOf("/readyz"), statusOf("/login"), statusOf("/account/")],
      ...[
        asGuard(),
        statusOf("/setup"),
        statusOf("/setup", { form }),
        statusOf("/login", { form }),
      ],
    ]),
    [200, 503, 503, 503, 503, 503, 503, 503],
  );
  stopped.signal("SIGTERM");
  assert.equal((await stopped.ended).code, 0);

  const seen = { guard: new Set<number>(), setup: new Set<number>() };
  await server.start();
  await eventually(async () => {
    seen.guard.add(await asGuard());
    seen.setup.add(await statusOf("/setup", { form }));
    return (await statusOf("/readyz")) === 200 || undefined;
  });
  assert.equal(seen.guard.has(200), false);
  assert.equal(seen.setup.has(303), false);
  const [, token = ""] = await gate.shows(/\/setup\?token=(\S+) to create it/);
  assert.equal(await statusOf("/setup", { form }), 403);
  assert.equal(await statusOf("/setup", { form: { ...form, token } }), 303);
  assert.match(gate.stdout(), /"msg":"the database answers after \d+ s"/);
  assert.equal(gate.stdout().split("waiting for the database").length, 2, gate.stdout());
  assert.match(gate.stdout(), /ECONNREFUSED[^\n]+waiting for the database/);

  const { code, stderr } = await wrong.ended;
  assert.equal(code, 1);
  const problem = /cannot use the database of DATABASE_URL: database "missing" does not exist/;
  assert.match(stderr, problem);
  await assert.rejects(send(`${wrong.url}/healthz`));
});
