import { Fault } from "../../../lib/fault.ts";
import { parseJsonObject } from "../../../lib/json.ts";
import type { HttpResponse } from "../http-request.ts";

/** Limits the text, because each attempt writes it to a file and to the server log. */
const MAX_TEXT_LENGTH = 500;

/** Limits the pause that an authority can ask for. */
const MAX_PAUSE_MS = 24 * 3_600_000;

/** Represents an error response of a certificate authority (a problem document, RFC 7807). */
export class AcmeProblem extends Fault {
  /**
   * Contains the last part of the problem type, for example `badNonce`, `rateLimited` or
   * `unauthorized`.
   */
  readonly problem: string;
  /** Tells how long the authority asks the client to wait. */
  readonly retryAfterMs: number | undefined;

  /** Takes the problem document of a response, or the one in an order or a challenge. */
  constructor(document: unknown, defaultReason = "no reason given", retryAfterMs?: number) {
    const { type, detail }: { type?: unknown; detail?: unknown } = Object(document);
    const typeName = typeof type === "string" ? type.split(":").at(-1) : undefined;
    const problem = (typeName ?? "unknown").slice(0, MAX_TEXT_LENGTH);
    const reason = (typeof detail === "string" ? detail : defaultReason).slice(0, MAX_TEXT_LENGTH);
    super("acme_refused", `the certificate authority refused (${problem}): ${reason}`);
    this.name = "AcmeProblem";
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }
}

export const parseAcmeProblem = (reply: HttpResponse): AcmeProblem =>
  new AcmeProblem(parseJsonObject(reply.body), `status ${reply.status}`, parseRetryAfter(reply));

/** Reads `Retry-After` in seconds. Dates are ignored, because the two clocks may differ. */
export function parseRetryAfter(reply: HttpResponse): number | undefined {
  const text = reply.headers["retry-after"];
  if (text === undefined || !/^\d{1,9}$/.test(text)) return undefined;
  return Math.min(Number(text) * 1_000, MAX_PAUSE_MS);
}

export const createResponseFault = (what: string): Fault =>
  new Fault("acme_answer_unusable", `the certificate authority answered with ${what}`);
