import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type RunningGate, startConfigured } from "../support/gate.ts";
import { type MailServer, readLink, readText, startMailServer } from "../support/mail-server.ts";

const PUBLIC = "https://home.example.org";
const NEW = { username: "bob", password: "battery staple", confirm: "battery staple" } as const;

interface Scene {
  readonly gate: RunningGate;
  readonly session: string;
  readonly mail: MailServer;
  /** Asks for an account, and returns the path of the link in the message. */
  ask(email: string): Promise<string>;
}

async function start(t: TestContext, signUp: "approval" | "open"): Promise<Scene> {
  const mail = await startMailServer(t);
  const { gate, session } = await startConfigured(t, {
    smtpUrl: mail.url,
    mailFrom: "home@example.org",
    publicUrl: PUBLIC,
    signUp,
    signUpDomains: ["example.org"],
  });
  return {
    ...{ gate, session, mail },
    async ask(email) {
      const before = mail.received.length;
      const asked = await gate.send("/login/sign-up", { form: { email } });
      assert.deepEqual([asked.status, asked.location], [303, "/login"]);
      const message = (await mail.waitFor(before + 1)).at(-1);
      assert.deepEqual(message?.to, [email]);
      return message === undefined ? "" : readLink(message).slice(PUBLIC.length);
    },
  };
}

test("open: whoever receives mail at an admitted address makes an account", async (t) => {
  const { gate, mail, ask } = await start(t, "open");
  assert.match((await gate.send("/login")).body, /href="\/login\/sign-up"/);
  for (const email of ["bob@other.test", "bob@mail.example.org", "bob", ""]) {
    const refused = await gate.send("/login/sign-up", { form: { email } });
    assert.equal(refused.status, 422, email);
  }
  const path = await ask("bob@example.org");
  assert.match((await gate.send(path)).body, /name="username"/);
  const entered = await gate.send(path, { form: NEW });
  assert.deepEqual([entered.status, entered.location], [303, "/"]);
  assert.ok(entered.session);
  assert.equal((await gate.send(path)).status, 404, "once");
  // The address now belongs to the account, which only its owner learns.
  await gate.send("/login/sign-up", { form: { email: "Bob@example.org" } });
  const [, again] = await mail.waitFor(2);
  assert.ok(again);
  assert.match(readText(again), /You have an account/);
  assert.doesNotMatch(readText(again), /\/link\//);
});

test("approval: nothing opens before an administrator decides", async (t) => {
  const { gate, session, mail, ask } = await start(t, "approval");
  const path = await ask("bob@example.org");
  const asked = await gate.send(path, { form: NEW });
  assert.deepEqual([asked.status, asked.location, asked.session], [303, "/login", undefined]);
  const { username, password } = NEW;
  assert.equal((await gate.signIn({ username, password })).location, "/login?error=1");
  const people = await gate.send("/account/people", { session });
  assert.match(people.body, /bob@example\.org/);
  const [, request] = /name="request" value="(\w+)"/.exec(people.body) ?? [];
  assert.ok(request);
  const byBob = await gate.send("/account/people/approve", { form: { request } });
  assert.equal(byBob.location, "/login", "not without a session");
  const approved = await gate.send("/account/people/approve", { session, form: { request } });
  assert.deepEqual([approved.status, approved.location], [303, "/account/people"]);
  assert.equal((await gate.signIn({ username, password })).location, "/");
  const [, told] = await mail.waitFor(2);
  assert.ok(told);
  assert.match(readText(told), /You can now sign in/);
  const again = await gate.send("/account/people/approve", { session, form: { request } });
  assert.equal(again.status, 303, "a decision counts once");
});

test("approval: who asks again has one request, with what was entered last", async (t) => {
  const { gate, session, ask } = await start(t, "approval");
  const readRequests = async (): Promise<readonly string[]> => {
    const { body } = await gate.send("/account/people", { session });
    return [...body.matchAll(/name="request" value="(\w+)"/g)].map(([, id = ""]) => id);
  };
  await gate.send(await ask("bob@example.org"), { form: NEW });
  const [first] = new Set(await readRequests());
  assert.ok(first);
  const password = "another staple";
  const again = await gate.send(await ask("Bob@example.org"), {
    form: { username: "bob", password, confirm: password },
  });
  assert.deepEqual([again.status, again.location], [303, "/login"]);
  const requests = new Set(await readRequests());
  assert.equal(requests.size, 1);
  const [last = ""] = requests;
  assert.notEqual(last, first);
  // The administrator has not seen what was entered last.
  await gate.send("/account/people/approve", { session, form: { request: first } });
  assert.equal((await gate.signIn({ username: "bob", password })).location, "/login?error=1");
  await gate.send("/account/people/approve", { session, form: { request: last } });
  assert.equal((await gate.signIn({ username: "bob", password })).location, "/");
});
