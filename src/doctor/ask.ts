import { codeOf } from "../core/fault.ts";
import { connectionFailure, type HttpResponse, sendRequest } from "../gate/https/http-request.ts";

const TIMEOUT_MS = 4_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

/** The response to a request, or why there is none. */
export type Answer =
  | ({ readonly kind: "response"; readonly receivedAt: number } & HttpResponse)
  | { readonly kind: "none"; readonly reason: string; readonly code: string | undefined };

export interface Asking {
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends no secret, so it accepts any certificate; the certificate check verifies it. */
export async function ask(
  url: URL,
  { method = "GET", headers = {} }: Asking,
  now: () => number,
): Promise<Answer> {
  try {
    const response = await sendRequest(url, {
      method,
      headers: { ...headers, "User-Agent": "latchkey-doctor" },
      rejectUnauthorized: false,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_RESPONSE_BYTES,
    });
    return { kind: "response", receivedAt: now(), ...response };
  } catch (error) {
    return { kind: "none", code: codeOf(error), reason: connectionFailure(error) };
  }
}
