import { randomBytes } from "node:crypto";
import { toAuthOptions } from "../gate/settings/settings.ts";
import { isUsableEmail } from "../lib/email.ts";
import { getErrorReason } from "../lib/fault.ts";
import { createMailer, parseMailFrom, parseSmtpUrl } from "../mail/smtp.ts";
import { writeMail } from "../mail/write-mail.ts";
import { type Command, SUCCESS, UsageError } from "./command.ts";

export const test: Command = {
  details:
    "Sends a message at once, without the queue, and prints what the mail server says if it refuses.",
  operands: [{ name: "address", need: "required" }],
  settings: ["SMTP_URL", "SMTP_URL_FILE", "MAIL_FROM", "PUBLIC_URL", "APP_NAME", "LOCALE"],
  examples: ["latchkey mail test ada@example.org"],

  async run(settings, { address }, terminal) {
    const to = String(address);
    if (!isUsableEmail(to)) throw new UsageError(`${JSON.stringify(to)} is not an e-mail address`);
    const { mail } = toAuthOptions(settings);
    const server = mail && parseSmtpUrl(mail.url);
    const from = mail && parseMailFrom(mail.from);
    if (!server || !from || settings.publicUrl === undefined)
      return terminal.fail("set SMTP_URL, MAIL_FROM and PUBLIC_URL first");
    const { appName, accentColor, locale } = settings;
    const site = { appName, accentColor, url: settings.publicUrl };
    const message = { to, locale: locale ?? "en", message: { kind: "test" } } as const;
    const mailer = createMailer(server, { name: from.name || appName, address: from.address });
    const where = `${server.host}:${server.port}`;
    try {
      const id = randomBytes(16).toString("hex");
      await mailer.send(writeMail(id, message, site), new AbortController().signal);
    } catch (error) {
      return terminal.fail(`${where} has not taken the message: ${getErrorReason(error)}`);
    }
    terminal.complain(`${where} has taken the message. If it does not arrive, look at the spam`);
    terminal.complain("folder, and at the log of the mail server");
    return SUCCESS;
  },
};
