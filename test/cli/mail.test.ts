import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { SMTPServerOptions } from "smtp-server";
import { failureOf, runCommand } from "../support/command.ts";
import { freePort } from "../support/free-port.ts";
import { readText, startMailServer } from "../support/mail-server.ts";

const ADA = "ada@example.org";

async function start(t: TestContext, options?: SMTPServerOptions) {
  const mail = await startMailServer(t, options);
  const env = {
    SMTP_URL: mail.url,
    MAIL_FROM: "home@example.org",
    PUBLIC_URL: "https://home.example.org",
  };
  return { mail, env };
}

test("sends a message at once, without a database, and says so", async (t) => {
  const { mail, env } = await start(t);
  const settings = { ...env, APP_NAME: "Zuhause", LOCALE: "de", DATA_DIR: "/nonexistent" };
  const { code, stdout, stderr } = await runCommand(["mail", "test", ADA], { env: settings });
  assert.deepEqual([code, stdout], [0, ""]);
  assert.match(stderr, new RegExp(`127\\.0\\.0\\.1:${mail.port} has taken the message`));
  const [message, ...others] = mail.received;
  assert.ok(message);
  assert.deepEqual([message.to, others], [[ADA], []]);
  assert.match(message.source, /^From: Zuhause <home@example\.org>\r$/m);
  assert.match(readText(message), /^Zuhause kann /);
});

test("says what the mail server replies when it refuses", async (t) => {
  const { mail, env } = await start(t, {
    onRcptTo(_address, _session, done) {
      done(Object.assign(new Error("no such mailbox"), { responseCode: 550 }));
    },
  });
  const failure = await failureOf(["mail", "test", ADA], { env });
  assert.match(
    failure,
    new RegExp(`^127\\.0\\.0\\.1:${mail.port} has not taken the message: .*550 no such mailbox`),
  );
});

test("never prints the password", async (t) => {
  const { mail, env } = await start(t, { authOptional: false, allowInsecureAuth: true });
  const urls = [
    `smtp://ada:a-secret-word@127.0.0.1:${mail.port}`,
    `smtp://ada:a-secret-word@127.0.0.1:${await freePort()}`,
  ];
  for (const SMTP_URL of urls) {
    const failure = await failureOf(["mail", "test", ADA], { env: { ...env, SMTP_URL } });
    assert.match(failure, /535|ECONNREFUSED/);
    assert.doesNotMatch(failure, /a-secret-word/);
  }
});

test("needs its settings, and an address", async (t) => {
  const { env } = await start(t);
  assert.match(await failureOf(["mail", "test", ADA]), /set SMTP_URL, MAIL_FROM and PUBLIC_URL/);
  const wrong = await failureOf(["mail", "test", "ada@\nexample.org"], { env }, 2);
  assert.match(wrong, /"ada@\\nexample\.org" is not an e-mail address/);
  const { code, stderr } = await runCommand(["mail", "test"], { env });
  assert.equal(code, 2, stderr);
});

test("an invitation by mail is queued for the gate, and needs a mail server", async () => {
  const { code, stderr } = await runCommand(["link", "invite", "--mail", ADA], { env: {} });
  assert.notEqual(code, 0, stderr);
});
