import { randomBytes } from "node:crypto";
import type { ReplaceOutcome } from "../db/queries/outbox.ts";
import type { Delivery, DeliveryKind, Link, UserId } from "../db/records.ts";
import type { StoreParts } from "../db/store.ts";
import type { Seals } from "../identity/seals.ts";
import type { Clock } from "../lib/clock.ts";
import { createRandomText, digestText } from "../lib/random-text.ts";
import type { Mail, Message } from "./mail.ts";

/** No attempt to send a message follows after this time. */
const GIVE_UP_AFTER_MS = 86_400_000;

/** Describes a one-time link for one account, which a message contains. */
export interface MailLink {
  readonly purpose: Extract<Link["purpose"], "reset" | "confirm-email" | "end-sessions">;
  readonly userId: UserId;
  readonly email?: string | undefined;
  readonly expiresAt: Date;
}

/** Describes a message that gets the token of its link when it is queued. */
export interface LinkedMail extends Omit<Mail, "message"> {
  readonly link: MailLink;
  readonly write: (token: string) => Message;
}

/**
 * Keeps messages in the database until they are sent, so that no page waits and an outage loses
 * nothing.
 */
export interface Outbox {
  /** Queues a message. The account is the one that the message is about. */
  queue(mail: Mail, userId?: UserId): Promise<void>;
  /** Queues a message with a new one-time link. Both are stored, or none of them. */
  queueWithLink(mail: LinkedMail, id?: string): Promise<void>;
  /** Queues something else than a message. The content is kept as JSON. */
  queueWork(kind: Exclude<DeliveryKind, "mail">, content: object, id?: string): Promise<void>;
  /**
   * Replaces work by the message that follows from it, unless the account has this many mailed links
   * of the same purpose already.
   */
  replaceWork(id: string, mail: LinkedMail, maxLinks: number): Promise<ReplaceOutcome>;
  /** Returns `undefined` for content that none of the secrets has sealed. */
  open(delivery: Delivery): unknown;
}

export interface DeliveryServices {
  readonly clock: Pick<Clock, "now">;
  /** Links in messages are worth as much as passwords, so the database has them only sealed. */
  readonly seals: Seals;
}

interface OutboxServices extends DeliveryServices {
  readonly store: Pick<StoreParts, "outbox">;
}

/** Creates a delivery that is due at once. Without an ID, it gets a random one. */
export function createDelivery(
  { clock, seals }: DeliveryServices,
  kind: DeliveryKind,
  content: object,
  {
    id = randomBytes(16).toString("hex"),
    userId,
    linkEndsAt = Number.POSITIVE_INFINITY,
  }: { id?: string; userId?: UserId; linkEndsAt?: number } = {},
): Delivery {
  const now = clock.now();
  return {
    id,
    kind,
    ...(userId !== undefined && { userId }),
    content: seals.seal(Buffer.from(JSON.stringify(content)), toPurpose(id)),
    createdAt: new Date(now),
    dueAt: new Date(now),
    tries: 0,
    // A message whose link has expired helps nobody.
    expiresAt: new Date(Math.min(now + GIVE_UP_AFTER_MS, linkEndsAt)),
  };
}

export function createOutbox(services: OutboxServices): Outbox {
  const { store, seals } = services;
  /** Creates a message with its link. The token is only in the sealed content. */
  function createLinked({ to, locale, link: wanted, write }: LinkedMail, id?: string) {
    const token = createRandomText();
    const { purpose, userId, email, expiresAt } = wanted;
    const link: Link = {
      id: randomBytes(8).toString("hex"),
      tokenHash: digestText(token),
      ...{ purpose, userId, expiresAt, usesLeft: 1 },
      ...(email !== undefined && { email }),
    };
    const mail: Mail = { to, locale, message: write(token) };
    return {
      link,
      delivery: createDelivery(services, "mail", mail, {
        ...(id && { id }),
        userId,
        linkEndsAt: expiresAt.getTime(),
      }),
    };
  }

  return {
    queue: (mail, userId) =>
      store.outbox.insert(
        createDelivery(services, "mail", mail, userId === undefined ? {} : { userId }),
      ),
    async queueWithLink(mail, id) {
      const { delivery, link } = createLinked(mail, id);
      await store.outbox.insert(delivery, link);
    },
    queueWork: (kind, content, id) =>
      store.outbox.insert(createDelivery(services, kind, content, id === undefined ? {} : { id })),
    replaceWork(id, mail, maxLinks) {
      const { delivery, link } = createLinked(mail);
      return store.outbox.replace(id, delivery, link, maxLinks);
    },
    open({ id, content = "" }) {
      const opened = seals.open(content, toPurpose(id));
      return opened && JSON.parse(opened.toString());
    },
  };
}

const toPurpose = (id: string): string => `outbox ${id}`;
