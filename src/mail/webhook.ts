import { createHmac } from "node:crypto";
import { alarmingEvents } from "../audit/events.ts";
import { getErrorReason } from "../lib/fault.ts";
import { toPrintable } from "../lib/files/printable.ts";
import { GiveUp } from "./give-up.ts";
import type { NotifyTarget } from "./notify-target.ts";
import type { OperatorNotice } from "./operator-notices.ts";

/** Describes one attempt to send a notice. */
export interface Attempt {
  /** The ID is the same in each attempt, so that the receiver can ignore what it has already. */
  readonly id: string;
  readonly now: number;
  readonly stop: AbortSignal;
  /** Another instance may try again long after this time. */
  readonly withinMs?: number;
}

const WITHIN_MS = 10_000;

const GONE = 410;

/** The target did not answer, or not in time. */
export class Unreachable extends Error {}

/**
 * Sends a notice. A redirect counts as a failure, and the content of the answer is not read.
 *
 * @throws {GiveUp} if the receiver wants no notices any more.
 * @throws {Unreachable} if it does not answer.
 */
export async function sendNotice(
  target: NotifyTarget,
  title: string,
  notice: OperatorNotice,
  { id, now, stop, withinMs = WITHIN_MS }: Attempt,
): Promise<void> {
  const { host, authorization } = target;
  const { body, headers } = write(target, title, notice, { id, now });
  let status: number;
  try {
    const response = await fetch(target.url, {
      method: "POST",
      body,
      headers: {
        ...headers,
        "content-type": "application/json",
        "user-agent": "Latchkey",
        ...(authorization !== undefined && { authorization }),
      },
      redirect: "manual",
      signal: AbortSignal.any([stop, AbortSignal.timeout(withinMs)]),
    });
    status = response.status;
    // The answer counts, even if the connection ends before its content.
    await response.body?.cancel().catch(() => {});
  } catch (error) {
    throw new Unreachable(`${host} cannot be reached: ${getErrorReason(error)}`);
  }
  if (status >= 200 && status < 300) return;
  const problem = `${host} answered ${status}`;
  if (status === GONE) throw new GiveUp(problem);
  const isRedirect = status >= 300 && status < 400;
  throw new Error(isRedirect ? `${problem}, and redirects are not followed` : problem);
}

interface Written {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

function write(
  target: NotifyTarget,
  title: string,
  notice: OperatorNotice,
  { id, now }: Pick<Attempt, "id" | "now">,
): Written {
  switch (target.kind) {
    case "webhook":
      return writeWebhook(target.key, JSON.stringify(notice), { id, now });
    case "ntfy":
      return { body: JSON.stringify(writeMessage(target.topic, title, notice)), headers: {} };
  }
}

/** Signs a notice as Standard Webhooks says. Neither the ID nor the time contains a full stop. */
function writeWebhook(
  key: Buffer,
  body: string,
  { id, now }: Pick<Attempt, "id" | "now">,
): Written {
  const timestamp = String(Math.floor(now / 1_000));
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    body,
    headers: {
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature}`,
    },
  };
}

/** ntfy makes a file of a message with more than 4,096 bytes. */
const MAX_MESSAGE = 1_000;

const HIGH = 4;

/**
 * Writes a message for ntfy. All text is in the JSON body, since a username can contain what a header
 * cannot.
 */
function writeMessage(topic: string, title: string, { type, data }: OperatorNotice): object {
  const { summary, author, address = "" } = data;
  const lines = [
    summary,
    ...(author === "system" ? [] : [author === "cli" ? "at the command line" : `by ${author}`]),
    ...(address === "" || summary.includes(address) ? [] : [`from ${address}`]),
  ];
  // A name must not look like another line.
  const message = lines.map(toPrintable).join("\n").slice(0, MAX_MESSAGE).toWellFormed();
  return {
    ...{ topic, title, message },
    ...(alarmingEvents.has(type) ? { tags: ["warning"], priority: HIGH } : { tags: ["key"] }),
  };
}
