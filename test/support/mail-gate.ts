import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { SMTPServerOptions } from "smtp-server";
import { runCommand } from "./command.ts";
import { OWNER, type RunningGate, SECRET, startConfigured, type startGate } from "./gate.ts";
import { type MailServer, type ReceivedMail, readLink, startMailServer } from "./mail-server.ts";

/** The verified address of the owner. */
export const ADA = "ada@example.org";
export const NEW_PASSWORD = "battery staple";
export const PUBLIC = "https://auth.example.org";

export interface MailGate {
  readonly gate: RunningGate;
  readonly session: string;
  readonly mail: MailServer;
  /**
   * Runs a command beside the gate, with the same mail server and `NEW_PASSWORD` as its input, and
   * returns its output.
   */
  run(...args: readonly string[]): Promise<string>;
}

interface Wanted {
  readonly settings?: Parameters<typeof startGate>[1];
  readonly server?: SMTPServerOptions;
}

/** A gate that sends mail, whose first account has a verified address. */
export async function startMailGate(
  t: TestContext,
  { settings = {}, server = {} }: Wanted = {},
): Promise<MailGate> {
  const mail = await startMailServer(t, server);
  const mailFrom = "Home <home@example.org>";
  const { gate, session } = await startConfigured(t, {
    ...{ smtpUrl: mail.url, mailFrom, publicUrl: PUBLIC },
    ...settings,
  });
  const env = {
    DATA_DIR: gate.dataDir,
    AUTH_SECRET: SECRET,
    SMTP_URL: mail.url,
    MAIL_FROM: mailFrom,
    PUBLIC_URL: PUBLIC,
  };
  const run = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCommand(args, { env, input: `${NEW_PASSWORD}\n` });
    assert.equal(code, 0, stderr);
    return stdout;
  };
  await run("user", "set", OWNER.username, "--email", ADA, "--email-verified");
  return { gate, session, mail, run };
}

/** The path of the link in a message. */
export function pathOf(mail: ReceivedMail | undefined): string {
  assert.ok(mail);
  const url = readLink(mail);
  assert.ok(url.startsWith(`${PUBLIC}/link/`), url);
  return url.slice(PUBLIC.length);
}

/** The subject of a message, if it needs no encoding. */
export const subjectOf = ({ source }: ReceivedMail): string =>
  /^Subject: (.*(?:\r\n[ \t].*)*)/m.exec(source)?.[1]?.replace(/\r\n[ \t]/g, " ") ?? "";

/** The last message of this many. */
export async function lastOf(mail: MailServer, count: number): Promise<ReceivedMail> {
  const last = (await mail.waitFor(count))[count - 1];
  assert.ok(last);
  return last;
}
