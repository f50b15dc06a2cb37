import type { TestContext } from "node:test";
import { confirmationRule, createAttemptLimiter } from "../../src/identity/attempt-limiter.ts";
import type { Mail } from "../../src/mail/mail.ts";
import { createMailing, type Mailing } from "../../src/mail/mailing.ts";
import { createOutbox } from "../../src/mail/outbox.ts";
import {
  createAccountServices,
  type TestAccountServices,
} from "../features/people/account-services.ts";

export interface MailingServices extends TestAccountServices {
  readonly mailing: Mailing;
  readonly forgotLimiter: ReturnType<typeof createAttemptLimiter>;
  readonly confirmationLimiter: ReturnType<typeof createAttemptLimiter>;
  /** Takes what waits in the outbox, the first first. */
  takeAll(): Promise<readonly { readonly id: string; readonly content: unknown }[]>;
  /** Takes the messages that wait. */
  takeMails(): Promise<readonly Mail[]>;
  /** Gives an account a verified address. */
  verify(username: string, email: string, locale?: string): Promise<void>;
}

/** The ports of the account rules, all real, with an outbox that nobody empties. */
export async function createMailingServices(
  t: TestContext,
  ...usernames: readonly string[]
): Promise<MailingServices> {
  const ports = await createAccountServices(t, ...usernames);
  const { store, clock, seals, log } = ports;
  const outbox = createOutbox({ store, clock, seals });
  const mailing = createMailing({ outbox, store, clock, log, locale: undefined });
  const takeAll: MailingServices["takeAll"] = async () => {
    const now = new Date(clock.now());
    const due = await store.outbox.claimDue(now, new Date(now.getTime() + 86_400_000), 1_000);
    return due.map((delivery) => ({ id: delivery.id, content: mailing.outbox.open(delivery) }));
  };
  return {
    ...ports,
    mailing,
    forgotLimiter: createAttemptLimiter(clock),
    confirmationLimiter: createAttemptLimiter(clock, confirmationRule),
    takeAll,
    takeMails: async () => (await takeAll()).map(({ content }) => content as Mail),
    async verify(username, email, locale) {
      const id = await ports.idOf(username);
      const profile = { id, userId: id, email, verifiedEmail: email.toLowerCase() };
      const { profile: known } = (await store.users.find(id)) ?? {};
      await store.profiles.set({ ...profile, ...(locale !== undefined && { locale }) }, known);
    },
  };
}
