import assert from "node:assert/strict";
import { test } from "node:test";
import { outputOf, runCommand } from "../../support/command.ts";
import { OWNER, type RunningGate, startConfigured } from "../../support/gate.ts";
import { codeShown, turnCodesOn } from "../../support/one-time-codes.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";

const server = await sharedPostgres();
const kinds = {
  SQLite: async () => undefined,
  PostgreSQL: () => server.newStoreDatabase(),
};

const askWithKey = async (gate: RunningGate, key: string) =>
  (await gate.send("/forward-auth", { headers: { Authorization: `Bearer ${key}` } })).status;

for (const [kind, create] of Object.entries(kinds)) {
  test(`${kind}: importing an older export revives no session, code or key`, async (t) => {
    const databaseUrl = await create();
    const { gate, session } = await startConfigured(t, { databaseUrl });
    const env = { DATA_DIR: gate.dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl }) };
    const run = (args: readonly string[], input = "") => outputOf(args, { env, input });
    const lone = (await gate.signIn()).session ?? "";
    const key = (await run(["key", "add", "feeds", "--user", "owner"])).trim();
    const codes = await turnCodesOn(gate, session);
    const proven = codes.answer.session ?? "";
    const exported = await run(["export", "--with-hashes"]);

    const next = codeShown(codes.key, 1);
    const remembered = await gate.signIn({ code: next, remember_device: "1" });
    assert.equal(remembered.location, "/");
    await gate.send("/logout", { session: lone, form: {} });
    const [{ id } = { id: "" }] = (await run(["key", "list", "--json"]))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    await run(["key", "revoke", id]);
    await run(["user", "add", "second", "--password-stdin"], OWNER.password);
    await run(["user", "remove", "owner", "--yes"]);
    const imported = await runCommand(["import", "-"], { env, input: exported });
    assert.equal(imported.stdout, "Imported 1 user\n");

    for (const old of [lone, session, proven, remembered.session ?? ""])
      assert.equal((await gate.send("/forward-auth", { session: old })).status, 401);
    assert.equal(await askWithKey(gate, key), 401);
    for (const code of [codeShown(codes.key), next]) {
      const again = await gate.signIn({ code });
      assert.equal(again.location, "/login?error=1");
    }
    const Cookie = remembered.cookies.map((line) => line.split(";")[0]).join("; ");
    assert.match(Cookie, /latchkey-device=/);
    const device = await gate.signIn({}, { headers: { Cookie } });
    assert.equal(device.location, "/login?error=1");
  });
}
