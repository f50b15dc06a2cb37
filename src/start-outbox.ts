import type { DeliveryKind } from "./db/records.ts";
import type { RuleServices } from "./features/context.ts";
import { answerForgotten } from "./features/password/forgot-password.ts";
import type { Mail } from "./mail/mail.ts";
import type { OperatorNotice } from "./mail/operator-notices.ts";
import { type Deliver, type OutboxQueue, startOutboxQueue } from "./mail/outbox-queue.ts";
import { createMailer, parseMailFrom, parseSmtpUrl } from "./mail/smtp.ts";
import type { GateOptions, SettledOptions } from "./options.ts";

type Options = Pick<SettledOptions & GateOptions, "mail" | "hosts" | "pages" | "meter" | "notify">;

/**
 * Starts to send what the outbox contains, if the installation sends anything. What writes and sends
 * messages is loaded with the first of them.
 */
export function startOutbox(
  options: Options,
  rules: RuleServices,
  base: string,
): OutboxQueue | undefined {
  const { outbox } = rules;
  if (outbox === undefined) return undefined;
  const deliver = { ...deliverMail(options, rules, base), ...deliverNotices(options, rules) };
  return startOutboxQueue({ ...rules, outbox, meter: options.meter.outbox, deliver });
}

type Deliveries = Readonly<Partial<Record<DeliveryKind, Deliver>>>;

/** Sends mail to people. */
function deliverMail(
  { mail, hosts, pages }: Options,
  rules: RuleServices,
  base: string,
): Deliveries {
  const { mailing } = rules;
  const server = mail && parseSmtpUrl(mail.url);
  const from = mail && parseMailFrom(mail.from);
  if (!mailing || !server || !from || hosts.publicUrl === undefined) return {};
  const site = { ...pages, url: `${hosts.publicUrl}${base}` };
  const mailer = createMailer(server, { name: from.name || site.appName, address: from.address });
  return {
    async mail(content, { id }, stop) {
      const { writeMail } = await import("./mail/write-mail.ts");
      await mailer.send(writeMail(id, content as Mail, site), stop);
    },
    "new-password": (content, { id }) => answerForgotten({ ...rules, mailing }, content, id),
  };
}

/** Tells the operator. `fetch` takes memory, so it is first used here. */
function deliverNotices(
  { notify, pages }: Options,
  { clock }: Pick<RuleServices, "clock">,
): Deliveries {
  if (notify === undefined) return {};
  return {
    async webhook(content, { id }, stop) {
      const { sendNotice } = await import("./mail/webhook.ts");
      const attempt = { id, now: clock.now(), stop };
      await sendNotice(notify.target, pages.appName, content as OperatorNotice, attempt);
    },
  };
}
