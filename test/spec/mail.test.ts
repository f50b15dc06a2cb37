import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { runCommand } from "../support/command.ts";
import { OWNER, type RunningGate, startConfigured } from "../support/gate.ts";
import { type MailServer, readLink, readText, startMailServer } from "../support/mail-server.ts";

const ADA = "ada@example.org";
const PUBLIC = "https://home.example.org";
const NEW = { password: "battery staple", confirm: "battery staple" } as const;

interface Scene {
  readonly gate: RunningGate;
  readonly session: string;
  readonly mail: MailServer;
}

/** A gate that sends mail, whose first account has a verified address. */
async function start(t: TestContext): Promise<Scene> {
  const mail = await startMailServer(t);
  const { gate, session } = await startConfigured(t, {
    smtpUrl: mail.url,
    mailFrom: "Home <home@example.org>",
    publicUrl: PUBLIC,
  });
  const set = await runCommand(
    ["user", "set", OWNER.username, "--email", ADA, "--email-verified"],
    { env: { DATA_DIR: gate.dataDir } },
  );
  assert.equal(set.code, 0, set.stderr);
  return { gate, session, mail };
}

const pathOf = (url: string): string => url.slice(PUBLIC.length);

test("a forgotten password: a link for 30 minutes, which ends the sessions", async (t) => {
  const { gate, session, mail } = await start(t);
  assert.match((await gate.send("/login")).body, /href="\/login\/forgot"/);
  assert.equal((await gate.send("/login/forgot")).status, 200);
  const asked = await gate.send("/login/forgot", { form: { login: OWNER.username } });
  assert.deepEqual([asked.status, asked.location], [303, "/login"]);
  const [message] = await mail.waitFor(1);
  assert.ok(message);
  assert.deepEqual(message.to, [ADA]);
  const path = pathOf(readLink(message));
  assert.equal((await gate.send(path)).status, 200);
  const reset = await gate.send(path, { form: NEW });
  assert.deepEqual([reset.status, reset.location], [303, "/login"]);
  assert.equal((await gate.send("/account/profile", { session })).status, 303);
  assert.equal((await gate.signIn({ password: NEW.password })).location, "/");
  assert.equal((await gate.send(path)).status, 404, "once");
  const [, notice] = await mail.waitFor(2);
  assert.ok(notice);
  assert.match(readText(notice), /Your password was changed/);
  const notMe = pathOf(readLink(notice));
  assert.match((await gate.send(notMe)).body, /End all sessions/);
  const signedIn = await gate.signIn({ password: NEW.password });
  const ended = await gate.send(notMe, { form: {} });
  assert.deepEqual([ended.status, ended.location], [303, "/login/forgot"]);
  const later = await gate.send("/account/profile", { session: signedIn.session });
  assert.equal(later.status, 303);
});
