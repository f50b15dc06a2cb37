import { test } from "node:test";
import { checkMail } from "../../src/doctor/mail.ts";
import { makeCertificate } from "../support/certificates.ts";
import { freePort } from "../support/free-port.ts";
import { startMailServer } from "../support/mail-server.ts";
import { assertCheck } from "./installation.ts";

const PUBLIC = { PUBLIC_URL: "https://home.example.org", MAIL_FROM: "home@example.org" };

test("says nothing about mail that is not set up", async () => {
  await assertCheck(checkMail, { env: {} });
});

test("connects and authenticates, and sends nothing", async (t) => {
  const mail = await startMailServer(t, {
    ...{ authOptional: false, allowInsecureAuth: true },
    onData: () => {
      throw new Error("a check sends no message");
    },
  });
  const env = (password: string) => ({
    env: { ...PUBLIC, SMTP_URL: `smtp://ada:${password}@127.0.0.1:${mail.port}` },
  });
  await assertCheck(checkMail, env("right"), ["ok", /^the mail server 127\.0\.0\.1:\d+ works$/]);
  const refused = /^the mail server 127\.0\.0\.1:\d+ refuses: (?!.*secret-word).*535/;
  await assertCheck(checkMail, env("secret-word"), ["problem", refused, /check SMTP_URL/]);
});

test("reports a server that is not there, and a certificate that is not valid", async (t) => {
  const away = { ...PUBLIC, SMTP_URL: `smtp://127.0.0.1:${await freePort()}` };
  await assertCheck(checkMail, { env: away }, ["problem", /ECONNREFUSED/, /check SMTP_URL/]);
  const { cert, key } = makeCertificate({ names: ["localhost"] });
  const mail = await startMailServer(t, { ...{ cert, key }, secure: true });
  const invalid = { ...PUBLIC, SMTP_URL: `smtps://localhost:${mail.port}` };
  await assertCheck(checkMail, { env: invalid }, ["problem", /certificate/, /check SMTP_URL/]);
});

test("gives a hint when the certificate is not checked", async (t) => {
  const mail = await startMailServer(t);
  const env = { ...PUBLIC, SMTP_URL: `smtp+insecure://127.0.0.1:${mail.port}` };
  await assertCheck(checkMail, { env }, [
    "hint",
    /works, and its certificate is not checked/,
    /smtps/,
  ]);
});
