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

/** After an attempt without an answer, further notices fail at once for this time. */
const TARGET_AWAY_MS = 5_000;

/**
 * Tells the operator. `fetch` takes memory, so it is first used here. Mail shares the queue, and must
 * not wait for each notice to a target that is away.
 */
export function deliverNotices(
  { notify, pages }: Pick<Options, "notify"> & { readonly pages: { readonly appName: string } },
  { clock }: Pick<RuleServices, "clock">,
): Deliveries {
  if (notify === undefined) return {};
  const { target } = notify;
  let awayUntil = 0;
  return {
    async webhook(content, { id }, stop) {
      if (clock.monotonic() < awayUntil)
        throw new Error(`${target.host} did not answer a moment ago`);
      const { sendNotice, Unreachable } = await import("./mail/webhook.ts");
      const attempt = { id, now: clock.now(), stop };
      try {
        await sendNotice(target, pages.appName, content as OperatorNotice, attempt);
      } catch (error) {
        if (error instanceof Unreachable) awayUntil = clock.monotonic() + TARGET_AWAY_MS;
        throw error;
      }
    },
  };
}
