import { AnyFault } from "../../../core/base/fault.ts";
import type { HttpResponse } from "../http-request.ts";

/** An error response of a certificate authority (a problem document, RFC 7807). */
export class AcmeProblem extends AnyFault {
  /** The last part of the problem type: `badNonce`, `rateLimited`, `unauthorized` … */
  readonly problem: string;
  /** How long the authority asks the client to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(problem: string, detail: string, retryAfterMs?: number) {
    super("acme_refused", `the certificate authority refused (${problem}): ${detail}`);
    this.name = "AcmeProblem";
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }
}

export const problemOf = (reply: HttpResponse): AcmeProblem =>
  problemFrom(jsonIn(reply), `status ${reply.status}`, retryAfterMs(reply));

/** Reads a problem document. Authorities also put them into orders and challenges. */
export function problemFrom(
  document: unknown,
  otherwise = "no reason given",
  retryAfter?: number,
): AcmeProblem {
  const { type, detail }: { type?: unknown; detail?: unknown } = Object(document);
  const problem = typeof type === "string" ? type.split(":").at(-1) : undefined;
  const reason = typeof detail === "string" ? detail : otherwise;
  return new AcmeProblem(
    (problem ?? "unknown").slice(0, MAX_TEXT_LENGTH),
    reason.slice(0, MAX_TEXT_LENGTH),
    retryAfter,
  );
}

/** Each attempt writes the text to a file and to the server log. */
const MAX_TEXT_LENGTH = 500;

/** Limits the pause that an authority can ask for. */
const MAX_PAUSE_MS = 24 * 3_600_000;

/** Reads `Retry-After` in seconds. Dates are ignored, because the two clocks may differ. */
export function retryAfterMs(reply: HttpResponse): number | undefined {
  const text = reply.headers["retry-after"];
  if (text === undefined || !/^\d{1,9}$/.test(text)) return undefined;
  return Math.min(Number(text) * 1_000, MAX_PAUSE_MS);
}

/** The body of a response, or `undefined` if it is not JSON. */
export function jsonIn({ body }: HttpResponse): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

export function unusable(what: string): AnyFault {
  return new AnyFault("acme_answer_unusable", `the certificate authority answered with ${what}`);
}
