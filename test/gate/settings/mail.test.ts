import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { readSettings, toAuthOptions } from "../../../src/gate/settings/settings.ts";
import { runCommand } from "../../support/command.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { problems } from "./settings-reading.ts";

const PASSWORD = "a-password-of-mail";
const SMTP_URL = `smtps://home%40example.org:${PASSWORD}@mail.example.org`;
const PUBLIC_URL = "https://home.example.org";

const mailOf = (env: Readonly<Record<string, string>>) => {
  const { settings, problems: found } = readSettings({ env, flags: {}, envFile: undefined });
  assert.deepEqual(found, []);
  return toAuthOptions(settings).mail;
};

test("mail needs a public URL, and a sender", () => {
  assert.deepEqual(problems({ SMTP_URL }), [
    "SMTP_URL requires PUBLIC_URL, with which the links in messages begin",
  ]);
  assert.deepEqual(problems({ SMTP_URL: "smtp://localhost", PUBLIC_URL }), [
    "SMTP_URL requires MAIL_FROM, the sender of the mail",
  ]);
  assert.deepEqual(problems({ SMTP_URL: `smtps://ada:${PASSWORD}@h.test`, PUBLIC_URL }).length, 1);
  assert.deepEqual(problems({ SMTP_URL, PUBLIC_URL }), []);
  assert.deepEqual(problems({ MAIL_FROM: "home@example.org" }), [], "it is of no use alone");
});

test("the user of the server is the sender, unless MAIL_FROM names another", () => {
  assert.equal(mailOf({}), undefined);
  assert.deepEqual(mailOf({ SMTP_URL, PUBLIC_URL }), { url: SMTP_URL, from: "home@example.org" });
  const from = "Home <other@example.org>";
  assert.deepEqual(mailOf({ SMTP_URL, PUBLIC_URL, MAIL_FROM: from }), { url: SMTP_URL, from });
});

test("no problem repeats the URL or its password", () => {
  for (const url of [
    `smtps://ada:${PASSWORD}`,
    `https://ada:${PASSWORD}@mail.example.org`,
    `smtps://ada:${PASSWORD}%@mail.example.org`,
    `smtps://ada:${PASSWORD}#@mail.example.org`,
    `smtps://${PASSWORD}@mail.example.org`,
    `smtps://ada:${PASSWORD}@mail.example.org/x`,
  ]) {
    const found = problems({ SMTP_URL: url, PUBLIC_URL, MAIL_FROM: "home@example.org" });
    assert.equal(found.length, 1, url);
    assert.match(found[0] ?? "", /^SMTP_URL.*smtps:\/\/user:password@mail\.example\.org/);
    assert.doesNotMatch(found.join(), new RegExp(PASSWORD));
  }
});

test("reads the URL from a file, and not from a flag, which others could see", async (t) => {
  const file = join(await tempDir(t), "smtp");
  await writeFile(file, `${SMTP_URL}\n`);
  assert.equal(mailOf({ SMTP_URL_FILE: file, PUBLIC_URL })?.url, SMTP_URL);
  assert.equal(problems({ SMTP_URL, SMTP_URL_FILE: file, PUBLIC_URL }).length, 1);
  const { code, stdout, stderr } = await runCommand(["serve", "--smtp-url", SMTP_URL]);
  assert.equal(code, 2);
  assert.match(stderr, /SMTP_URL cannot be a flag/);
  assert.doesNotMatch(stdout + stderr, new RegExp(PASSWORD));
});

test("a sender with a line break or a second address is refused", () => {
  for (const from of ["Home", "a@b.test, c@d.test", "Home\r\nBcc: <c@d.test>", "<a@b>"]) {
    const found = problems({ SMTP_URL, PUBLIC_URL, MAIL_FROM: from });
    assert.match(found.join(), /^MAIL_FROM.*Home <home@example\.org>/, from);
  }
});
