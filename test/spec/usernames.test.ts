import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { runCommand } from "../support/command.ts";
import { OWNER, type RunningGate, startConfigured } from "../support/gate.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";

const PASSWORD = "battery staple";
const INVALID = "A username has up to 255 bytes";
const TAKEN = "This username is taken";

const server = await sharedPostgres();

const databases: Readonly<Record<string, () => string | Promise<string>>> = {
  SQLite: () => "",
  PostgreSQL: () => server.newDatabase(),
};

/** Spellings of `owner` that a proxy or an app could take for it, and their refusal. */
const SPELLINGS: readonly (readonly [username: string, message: string])[] = [
  ["Owner", TAKEN],
  ["OWNER", TAKEN],
  ["\uff4f\uff57\uff4e\uff45\uff52", TAKEN],
  ["\u00f3wn\u00e9r", TAKEN],
  ["owner\u200b", INVALID],
  ["own\u200der", INVALID],
  ["owner\u200f", INVALID],
  ["\u202eowner", INVALID],
  ["owner\ufe0f", INVALID],
  ["\u043ewner", INVALID],
  [" owner", INVALID],
  ["owner ", INVALID],
  ["owner\u00a0", INVALID],
  ["own\u3000er", INVALID],
  ["owner\n", INVALID],
  ["owner\r\nRemote-User: x", INVALID],
  ["owner\u2028", INVALID],
  ["owner\0", INVALID],
  ["a\u007fb", INVALID],
  ["a\ue000b", INVALID],
  ["\u00e4".repeat(128), INVALID],
];

async function aGate(t: TestContext, databaseUrl: string) {
  const { gate } = await startConfigured(t, { databaseUrl, trustedProxies: ["127.0.0.1"] });
  const env = { DATA_DIR: gate.dataDir, DATABASE_URL: databaseUrl, PUBLIC_URL: "https://a.test" };
  async function run(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await runCommand(args, { env, input: PASSWORD });
    assert.equal(code, 0, stderr);
    return stdout.trim();
  }
  return {
    gate,
    run,
    invite: async (...args: readonly string[]) =>
      new URL(await run("link", "invite", ...args)).pathname,
  };
}

let clients = 0;

/** From a new address each time, since the uses of links are limited by address. */
function accept(gate: RunningGate, path: string, username: string) {
  clients += 1;
  return gate.send(path, {
    form: { username, password: PASSWORD, confirm: PASSWORD },
    headers: { "X-Forwarded-For": `192.0.2.${clients % 256}`, Origin: gate.url },
  });
}

for (const [kind, newUrl] of Object.entries(databases)) {
  test(`${kind}: an invitation takes no name like that of another account`, async (t) => {
    const { gate, run, invite } = await aGate(t, await newUrl());
    for (const name of ["carol", "dora"]) await run("user", "add", name, "--password-stdin");
    await run("user", "remove", "carol", "--yes");
    await run("user", "rename", "dora", "dorothea");
    const path = await invite();
    const former = ["carol", "Carol", "dora", "DORA"].map((name) => [name, TAKEN] as const);
    for (const [username, message] of [...SPELLINGS, ...former]) {
      const { status, body, session } = await accept(gate, path, username);
      assert.deepEqual([status, session], [422, undefined], JSON.stringify(username));
      assert.ok(body.includes(message), JSON.stringify(username));
    }
    const { session } = await accept(gate, path, "Zo\u00eb Smith");
    for (const list of ["users=owner,carol", "users=dora,Owner"])
      assert.equal((await gate.send(`/forward-auth?${list}`, { session })).status, 403, list);
    assert.equal((await gate.send("/forward-auth", { session })).status, 200);
  });

  test(`${kind}: one of simultaneous invitations for names like each other counts`, async (t) => {
    const { gate, invite } = await aGate(t, await newUrl());
    const names = ["erin", "Erin", "ERIN", "\u00e9rin", "eRin", "erIn"];
    const paths = await Promise.all(names.map(() => invite()));
    const answers = await Promise.all(names.map((name, at) => accept(gate, paths[at] ?? "", name)));
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [303, 422, 422, 422, 422, 422]);
  });

  test(`${kind}: the setup takes any name without a NUL, and keeps it unique`, async (t) => {
    const { gate, invite } = await aGate(t, await newUrl());
    assert.equal((await gate.signIn({ username: "\u043ewner" })).location, "/login?error=1");
    assert.equal((await accept(gate, await invite(), "OWNER")).status, 422);
    assert.equal((await gate.signIn(OWNER)).location, "/");
  });
}
