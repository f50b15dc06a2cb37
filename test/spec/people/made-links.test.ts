import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { parseDatabaseLocation } from "../../../src/db/location.ts";
import { openStore } from "../../../src/gate/open-store.ts";
import type { Answer, Sending } from "../../support/client.ts";
import { outputOf } from "../../support/command.ts";
import { changeForm, type RunningGate, startGate } from "../../support/gate.ts";
import { jsonLines } from "../../support/json-lines.ts";
import { linkPath } from "../../support/link.ts";
import { inSeconds, mint, partsOf } from "../../support/mint.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { LINKS, PEOPLE } from "./at-people.ts";

const PASSWORD = "battery staple";
const CHOICE = { username: "invited", password: PASSWORD, confirm: PASSWORD };

const server = await sharedPostgres();
const databases = {
  SQLite: async () => undefined,
  PostgreSQL: () => server.newStoreDatabase(),
};

type Form = Readonly<Record<string, string>>;

/** Two gates over one database, whose owner adds other administrators. */
async function twoGates(t: TestContext, databaseUrl: string | undefined) {
  const dataDir = await tempDir(t);
  const settings = { dataDir, databaseUrl, trustedProxies: ["127.0.0.1"] };
  const gates = [await startGate(t, settings), await startGate(t, settings)] as const;
  const owner = await gates[0].setUp();
  const name = databaseUrl ?? `sqlite:${gates[0].databaseFile}`;
  const store = await openStore({ database: parseDatabaseLocation(name) }, "refuse");
  t.after(() => store.close());
  const env = { DATA_DIR: dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl }) };
  const run = (args: readonly string[], input = "") => outputOf(args, { env, input });
  let addresses = 0;

  /** An administrator with links for an invitation and for a new password of the owner. */
  async function administrator(username: string) {
    await run(["user", "add", username, "--groups", "admins", "--password-stdin"], PASSWORD);
    const { id } = (await store.users.findByName(username)) ?? {};
    assert.ok(id);
    const claims = { user_id: id, jti: username, iat: inSeconds(0), exp: inSeconds(600) };
    const session = mint(claims);
    addresses += 1;
    const headers = { "X-Forwarded-For": `192.0.2.${addresses}` };
    const send = (gate: RunningGate, path: string, sending: Sending): Promise<Answer> =>
      gate.send(path, { ...sending, headers });
    const act = (path: string, form: Form, by = session) =>
      send(gates[0], path, { form, session: by });
    const linkOf = async (action: string, form: Form): Promise<string> =>
      /\/link\/[\w-]{43}/.exec((await act(`${PEOPLE}/${action}`, form)).body)?.[0] ?? "";
    const ownId = String(partsOf(owner).claims.user_id);
    const links = [
      await linkOf("invite", { groups: "admins, family" }),
      await linkOf("reset", { user: ownId }),
    ];
    /** The statuses of both links, opened at one gate and used at the other. */
    const statuses = () =>
      Promise.all(
        links.flatMap((link) => [
          send(gates[1], link, {}).then(({ status }) => status),
          send(gates[0], link, { form: CHOICE }).then(({ status }) => status),
        ]),
      );
    const opened = await Promise.all(links.map((link) => send(gates[1], link, {})));
    assert.deepEqual(
      opened.map(({ status }) => status),
      [200, 200],
    );
    return { id, username, act, links, send, statuses };
  }
  return { gates, owner, run, store, administrator };
}

type Scene = Awaited<ReturnType<typeof twoGates>>;
type Administrator = Awaited<ReturnType<Scene["administrator"]>>;

const ENDS: Readonly<Record<string, (admin: Administrator, scene: Scene) => Promise<unknown>>> = {
  "changes the password and signs out others": ({ act }) =>
    act("/account/password", { ...changeForm(PASSWORD, "another one"), end_others: "1" }),
  "signs out everywhere else": ({ act }) => act("/account/sessions/end", { session: "others" }),
  "signs out everywhere": ({ act }) => act("/account/sessions/end", { session: "all" }),
  "is signed out by an administrator": ({ act, id }, { owner }) =>
    act(`${PEOPLE}/sign-out`, { user: id }, owner),
  "is taken out of the group by an administrator": ({ act, id }, { owner }) =>
    act(`${PEOPLE}/groups`, { user: id, groups: "family" }, owner),
  "is removed by an administrator": ({ act, id }, { owner }) =>
    act(`${PEOPLE}/remove`, { user: id }, owner),
  "gets a new password from the operator": ({ username }, { run }) =>
    run(["user", "password", username, "--password-stdin"], PASSWORD),
  "is signed out by the operator": ({ username }, { run }) => run(["user", "sign-out", username]),
  "is taken out of the group by the operator": ({ username }, { run }) =>
    run(["user", "groups", username, ""]),
  "loses codes and passkeys": ({ username }, { run }) =>
    run(["user", "codes", "off", username, "--passkeys"]),
  "is removed by the operator": ({ username }, { run }) =>
    run(["user", "remove", username, "--yes"]),
};

for (const [kind, create] of Object.entries(databases)) {
  test(`${kind}: an administrator's links end with the account everywhere`, async (t) => {
    const scene = await twoGates(t, await create());
    for (const [text, end] of Object.entries(ENDS)) {
      const admin = await scene.administrator(text);
      await end(admin, scene);
      assert.deepEqual(await admin.statuses(), [404, 404, 404, 404], text);
    }
    assert.equal(await scene.store.users.findByName(CHOICE.username), undefined);
    assert.equal(await scene.run(["link", "list"]), "");
    assert.equal((await scene.gates[1].signIn()).location, "/", "the owner has the old password");
  });
}

test("links stay after other changes of their maker, who is shown", async (t) => {
  const scene = await twoGates(t, undefined);
  const { run, gates } = scene;
  const admin = await scene.administrator("second");
  const { act, username, links, send } = admin;
  await act("/account/password", changeForm(PASSWORD, "another one"));
  await run(["user", "password", username, "--password-stdin", "--keep-sessions"], PASSWORD);
  await run(["user", "rename", username, "renamed"]);
  await run(["user", "groups", "renamed", "admins,family"]);
  await act("/logout", {});
  const listed = jsonLines<Form>(await run(["link", "list", "--json"]));
  assert.deepEqual(
    listed.map(({ purpose, groups, madeBy, makerId }) => [purpose, groups, madeBy, makerId]).sort(),
    [
      ["invite", ["admins", "family"], "second", admin.id],
      ["reset", undefined, "second", admin.id],
    ],
  );
  const headers = { Host: "auth.example.org", Accept: "text/html" };
  const { body } = await gates[1].send(LINKS, { session: scene.owner, headers });
  assert.equal(body.split("<bdi>by second</bdi>").length, 3);
  for (const link of links) {
    assert.equal((await send(gates[1], link, { form: CHOICE })).status, 303);
  }
});

test("links of a command stay when administrators are removed or signed out", async (t) => {
  const { gates, run, administrator } = await twoGates(t, undefined);
  const { send } = await administrator("second");
  const link = await linkPath(gates[0], "invite", "--groups", "admins");
  await run(["user", "remove", "second", "--yes"]);
  await run(["user", "sign-out", "--all"]);
  assert.equal((await send(gates[1], link, { form: CHOICE })).status, 303);
});
