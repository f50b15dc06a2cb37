import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { foundProgram, reportSkipped } from "../proxies/program.ts";
import { openPage } from "../support/browser.ts";
import { CA_CERTIFICATE } from "../support/certificates.ts";
import { send } from "../support/client.ts";
import { outputOf, runCommand } from "../support/command.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { OWNER, SECRET, SETUP_FORM } from "../support/gate.ts";
import { readLink, readText } from "../support/mail-server.ts";
import { startServe } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startMailbox } from "./postfix.ts";

const NEW = "battery staple";

const missing = ["postfix", "dovecot"].filter((name) => foundProgram(name) === undefined);
if (missing.length > 0) reportSkipped(`${missing.join(", ")} is not installed`);
else if (process.getuid?.() !== 0) reportSkipped("only root can start Postfix");
else
  test("a person gets a link by Postfix and IMAP, and sets a new password in a browser", async (t) => {
    const page = await openPage(t);
    const mailbox = await startMailbox(t);
    const { user, password, smtpsPort } = mailbox;
    const dataDir = await tempDir(t);
    const caFile = join(dataDir, "ca.pem");
    await writeFile(caFile, CA_CERTIFICATE);
    const port = await freePort();
    const url = `http://localhost:${port}`;
    await startServe(t, {
      ...{ DATA_DIR: dataDir, PORT: String(port), AUTH_SECRET: SECRET, SETUP_TOKEN: "off" },
      ...{ PUBLIC_URL: url, APP_NAME: "بيتنا", NODE_EXTRA_CA_CERTS: caFile },
      MAIL_FROM: "Our home <ada@example.test>",
      SMTP_URL: `smtps://${encodeURIComponent(user)}:${encodeURIComponent(password)}@localhost:${smtpsPort}`,
    });
    assert.equal((await send(`${url}/setup`, { form: SETUP_FORM })).status, 303);
    const env = { DATA_DIR: dataDir };
    const set = ["user", "set", OWNER.username, "--email", user, "--email-verified"];
    await outputOf(set, { env });

    await page.goto(`${url}/login`);
    await page.locator('a[href="/login/forgot"]').click();
    await page.locator('input[name="login"]').fill(user.toUpperCase());
    await page.locator('button[type="submit"]').click();
    await page.waitForURL(`${url}/login`);
    const source = await eventually(async () => (await mailbox.read())[0], 30_000);
    const message = { from: "", to: [user], source };
    assert.match(source, /by mail\.example\.test \(Postfix\) with ESMTPSA/);
    assert.match(source, /^From: Our home <ada@example\.test>\r$/m);
    assert.match(readText(message), /192\.0\.2|127\.0\.0\.1|::1/);

    await page.goto(readLink(message));
    await page.locator('input[name="password"]').fill(NEW);
    await page.locator('input[name="confirm"]').fill(NEW);
    await page.locator('button[type="submit"]').click();
    await page.waitForURL(`${url}/login`);
    await page.locator('input[name="username"]').fill(OWNER.username);
    await page.locator('input[name="password"]').fill(NEW);
    await page.locator('form button[type="submit"]').first().click();
    await page.waitForURL((at) => !at.pathname.startsWith("/login"));

    const all = await eventually(async () => {
      const read = await mailbox.read();
      return read.length >= 2 ? read : undefined;
    }, 30_000);
    assert.match(all.join(), /Subject: Your password was changed/);
    assert.match(await readFile(mailbox.logFile, "utf8"), /sasl_username=ada@example\.test/);
    const wrong = await runCommand(["mail", "test", user], {
      env: {
        ...{ PUBLIC_URL: url, MAIL_FROM: user },
        SMTP_URL: `smtp+insecure://ada:wrong@localhost:${smtpsPort}`,
      },
    });
    assert.equal(wrong.code, 1, "a server with TLS from the start is no server for STARTTLS");
  });
