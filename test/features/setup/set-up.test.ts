import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type SetUpForm, type SetUpServices, setUp } from "../../../src/features/setup/set-up.ts";
import { createCoreServices, hashingAfter } from "../../support/core-services.ts";
import { eventually } from "../../support/eventually.ts";
import { OWNER } from "../../support/gate.ts";
import { userIdIn } from "../../support/mint.ts";
import { hashText } from "../../support/store.ts";

const CLIENT = { remoteAddress: "192.0.2.1" };

const formWith = (fields: Partial<SetUpForm> = {}): SetUpForm => ({
  ...OWNER,
  confirm: OWNER.password,
  token: "",
  domain: "",
  ...fields,
});

/** A setup token in memory, and a domain setup that only keeps what it is given. */
async function setUpPorts(t: TestContext, kept?: string) {
  const core = await createCoreServices(t);
  const domains: string[] = [];
  let token = kept;
  const ports = {
    ...core,
    setupToken: {
      read: async () => token,
      delete: async () => {
        token = undefined;
      },
    },
    setUpDomain: async (domain: string) => {
      domains.push(domain);
    },
  };
  return { ports, domains, keptToken: () => token };
}

const kindOf = async (ports: SetUpServices, fields?: Partial<SetUpForm>): Promise<string> =>
  (await setUp(ports, formWith(fields), CLIENT)).kind;

test("creates the first account, and deletes the setup token", async (t) => {
  const { ports, keptToken } = await setUpPorts(t, " s3cret\n");
  const outcome = await setUp(ports, formWith({ token: "s3cret" }), CLIENT);
  assert.ok(outcome.kind === "set-up");
  const stored = await ports.store.users.findByName(OWNER.username);
  const user = { id: stored?.id, username: OWNER.username, groups: ["admins"] };
  assert.deepEqual(outcome.user, user, "without the hash");
  assert.equal(userIdIn(ports.tokens, outcome.token.text), stored?.id);
  assert.equal(await ports.passwords.verify(OWNER.password, stored?.passwordHash), true);
  assert.equal(keptToken(), undefined);
  assert.deepEqual(await ports.writtenEntries(), [`signup: Created account ${OWNER.username}`]);
});

const everythingWrong = { token: "wrong", username: "", password: "a", confirm: "b" };

test("checks in order: configured, setup token, missing fields, different passwords", async (t) => {
  const { ports } = await setUpPorts(t, "s3cret");
  assert.equal(await kindOf(ports, everythingWrong), "invalid-setup-token");
  const withToken = { ...everythingWrong, token: " s3cret " };
  assert.equal(await kindOf(ports, withToken), "username-or-password-missing");
  const emptyPassword = { ...withToken, username: "owner", password: "" };
  assert.equal(await kindOf(ports, emptyPassword), "username-or-password-missing");
  assert.equal(await kindOf(ports, { ...withToken, username: "owner" }), "passwords-differ");
  assert.equal(await ports.store.users.any(), false);
  await ports.insertOwner(hashText("a hash"));
  assert.equal(await kindOf(ports, everythingWrong), "already-configured");
  assert.deepEqual(await ports.writtenEntries(), []);
});

test("leaves setup token, domain and log unchanged when the setup loses the race", async (t) => {
  const { ports, domains, keptToken } = await setUpPorts(t, "s3cret");
  const faster = () => ports.insertOwner(hashText("of the faster request"));
  const form = { token: "s3cret", domain: "home.example.org" };
  assert.equal(await kindOf(hashingAfter(ports, faster), form), "already-configured");
  assert.equal(keptToken(), "s3cret");
  assert.deepEqual(domains, []);
  assert.deepEqual(await ports.writtenEntries(), []);
});

test("fails when the setup token cannot be read", async (t) => {
  const { ports } = await setUpPorts(t);
  const setupToken = { ...ports.setupToken, read: () => Promise.reject(new Error("EIO")) };
  await assert.rejects(setUp({ ...ports, setupToken }, formWith(), CLIENT), /^Error: EIO$/);
  assert.equal(await ports.store.users.any(), false);
});

test("only warns when the setup token cannot be deleted", async (t) => {
  const { ports } = await setUpPorts(t, "s3cret");
  const setupToken = { ...ports.setupToken, delete: () => Promise.reject(new Error("EROFS")) };
  assert.equal(await kindOf({ ...ports, setupToken }, { token: "s3cret" }), "set-up");
  const message = "cannot delete the used setup token";
  assert.deepEqual(ports.log.lines, [{ level: "warn", message, fields: { reason: "EROFS" } }]);
  assert.equal((await ports.writtenEntries()).length, 1);
});

test("takes a trimmed field for a domain if it has a dot and no space, slash or @", async (t) => {
  const domainFor = async (domain: string) => {
    const { ports, domains } = await setUpPorts(t);
    const passwords = { ...ports.passwords, hash: async () => hashText("a hash") };
    assert.equal(await kindOf({ ...ports, passwords }, { domain }), "set-up");
    assert.deepEqual(domains, [], "in the background");
    await nextTurn();
    assert.deepEqual(ports.log.lines, []);
    return domains;
  };
  assert.deepEqual(await domainFor("  home.example.org\r\n"), ["home.example.org"]);
  assert.deepEqual(await domainFor("."), ["."]);
  assert.deepEqual(await domainFor("\u0085-x.com\u0085\ufeff"), ["-x.com"]);
  const wrong = ["", "localhost", "a b.example", "a.example/b", "a.example\\b", "me@a.example"];
  for (const field of wrong) assert.deepEqual(await domainFor(field), [], field);
});

test("only logs a domain setup that fails", async (t) => {
  const { ports } = await setUpPorts(t);
  const setUpDomain = () => {
    throw new Error("no DNS");
  };
  assert.equal(await kindOf({ ...ports, setUpDomain }, { domain: " a.example" }), "set-up");
  assert.deepEqual(await eventually(() => ports.log.lines[0]), {
    level: "error",
    message: "domain setup failed",
    fields: { domain: "a.example", reason: "no DNS" },
  });
  assert.deepEqual(await ports.writtenEntries(), [`signup: Created account ${OWNER.username}`]);
});

test("ignores a domain without a domain setup", async (t) => {
  const { ports } = await setUpPorts(t);
  const form = { domain: "home.example.org" };
  assert.equal(await kindOf({ ...ports, setUpDomain: undefined }, form), "set-up");
  assert.deepEqual(ports.log.lines, []);
});

test("fails without an entry when the token cannot be created", async (t) => {
  const { ports } = await setUpPorts(t);
  const failure = new Error("no entropy");
  t.mock.method(ports.tokens, "issue", () => assert.fail(failure));
  await assert.rejects(setUp(ports, formWith(), CLIENT), failure);
  assert.deepEqual(await ports.writtenEntries(), []);
});
