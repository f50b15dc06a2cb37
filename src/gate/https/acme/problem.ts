import { Fault } from "../../../core/fault.ts";
import type { HttpResponse } from "../http-request.ts";

/** An error response of a certificate authority (a problem document, RFC 7807). */
export class AcmeProblem extends Fault {
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

export function problemOf(reply: HttpResponse): AcmeProblem {
  const { type, detail } = parsed(reply.body);
  return problemFrom({ type, detail: detail ?? `status ${reply.status}` }, retryAfterMs(reply));
}

/** Reads a problem document. Authorities also put them into orders and challenges. */
export function problemFrom(document: unknown, retryAfter?: number): AcmeProblem {
  const { type, detail } = fieldsOf(document);
  const problem = type?.split(":").at(-1)?.slice(0, MAX_TEXT_LENGTH) ?? "unknown";
  const reason = detail?.slice(0, MAX_TEXT_LENGTH) ?? "without saying why";
  return new AcmeProblem(problem, reason, retryAfter);
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

function parsed(text: string): { type: string | undefined; detail: string | undefined } {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return { type: undefined, detail: undefined };
  }
}

function fieldsOf(document: unknown): { type: string | undefined; detail: string | undefined } {
  const text = (name: string): string | undefined => {
    if (typeof document !== "object" || document === null) return undefined;
    const value = Reflect.get(document, name);
    return typeof value === "string" ? value : undefined;
  };
  return { type: text("type"), detail: text("detail") };
}
