import { findMailFrom } from "../gate/settings/settings.ts";
import { getErrorReason } from "../lib/fault.ts";
import { createMailer, parseMailFrom, parseSmtpUrl } from "../mail/smtp.ts";
import { type Check, createCheck, hint, ok, problem } from "./check.ts";

/** Connects to the mail server and authenticates. No message is sent. */
export const checkMail: Check = createCheck(
  "mail",
  ["smtpUrl", "mailFrom", "publicUrl"],
  async ({ settings }) => {
    const { smtpUrl, publicUrl } = settings;
    const server = smtpUrl === undefined ? undefined : parseSmtpUrl(smtpUrl);
    const from = parseMailFrom(findMailFrom(settings) ?? "");
    if (server === undefined || from === undefined || publicUrl === undefined) return undefined;
    const where = `${server.host}:${server.port}`;
    try {
      await createMailer(server, from).check();
    } catch (error) {
      return problem(
        `the mail server ${where} refuses: ${getErrorReason(error)}`,
        "check SMTP_URL, and that this machine reaches the server",
      );
    }
    if (server.protection === "insecure")
      return hint(
        `the mail server ${where} works, and its certificate is not checked`,
        "use smtp:// or smtps:// with a server that has a valid certificate",
      );
    return ok(`the mail server ${where} works`);
  },
);
