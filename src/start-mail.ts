import type { RuleServices } from "./features/context.ts";
import { answerForgotten } from "./features/password/forgot-password.ts";
import { answerSignUp } from "./features/sign-up/sign-up.ts";
import type { Mail } from "./mail/mail.ts";
import { type OutboxQueue, startOutboxQueue } from "./mail/outbox-queue.ts";
import { createMailer, parseMailFrom, parseSmtpUrl } from "./mail/smtp.ts";
import type { GateOptions, SettledOptions } from "./options.ts";

/**
 * Starts to send mail, if the installation has a mail server. What writes and sends messages is
 * loaded with the first of them.
 */
export function startMail(
  { mail, hosts, pages, meter }: SettledOptions & GateOptions,
  rules: RuleServices,
  base: string,
): OutboxQueue | undefined {
  const { mailing } = rules;
  const server = mail && parseSmtpUrl(mail.url);
  const from = mail && parseMailFrom(mail.from);
  if (!mailing || !server || !from || hosts.publicUrl === undefined) return undefined;
  const site = { ...pages, url: `${hosts.publicUrl}${base}` };
  const mailer = createMailer(server, { name: from.name || site.appName, address: from.address });
  const { outbox } = mailing;
  return startOutboxQueue({
    ...rules,
    outbox,
    meter: meter.outbox,
    deliver: {
      async mail(content, { id }, stop) {
        const { writeMail } = await import("./mail/write-mail.ts");
        await mailer.send(writeMail(id, content as Mail, site), stop);
      },
      "sign-up": (content, { id }) => answerSignUp({ ...rules, mailing }, content, id),
      "new-password": (content, { id }) => answerForgotten({ ...rules, mailing }, content, id),
    },
  });
}
