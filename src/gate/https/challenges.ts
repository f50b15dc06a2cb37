import { randomBytes } from "node:crypto";
import { lookup } from "node:dns/promises";
import { Fault } from "../../lib/fault.ts";
import { pause } from "../../lib/pause.ts";
import type { Handler } from "../create-handler.ts";
import { formatUrlHost } from "../reach.ts";
import { sendTextResponse } from "../refusals.ts";
import { explainNetworkError, sendRequest } from "./http-request.ts";

const CHALLENGE_PATH = "/.well-known/acme-challenge/";

/** Certificate authorities use this port for HTTP challenges. */
const HTTP_PORT = 80;
const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 64;

/** Responds to ACME challenges, which prove that a name points to this gate. */
export class HttpChallenges {
  readonly #responses = new Map<string, string>();

  /** Responds to requests for the token with `text` until the result is disposed of. */
  publish(token: string, text: string): Disposable {
    this.#responses.set(token, text);
    return { [Symbol.dispose]: () => void this.#responses.delete(token) };
  }

  /** Responds if the request is for a published challenge. Returns whether it has responded. */
  respond(...[{ method, url = "" }, outgoing]: Parameters<Handler>): boolean {
    if (!url.startsWith(CHALLENGE_PATH)) return false;
    const text = this.#responses.get(url.slice(CHALLENGE_PATH.length));
    // An unknown token may belong to another ACME client behind the application.
    if (text === undefined || (method !== "GET" && method !== "HEAD")) return false;
    sendTextResponse(outgoing, 200, { "Content-Type": "application/octet-stream" }, text);
    return true;
  }
}

/**
 * Checks a name before an authority does: it requests a value at the name that only this gate
 * knows. Authorities count failed checks, and after a few failures they refuse requests for an
 * hour.
 */
export async function checkDomain(
  name: string,
  challenges: HttpChallenges,
  stop: AbortSignal,
  port: number = HTTP_PORT,
): Promise<void> {
  const createFault = (reason: string): Fault =>
    new Fault("domain_not_here", `${name} does not point to this gate: ${reason}`);
  // Node cannot abort a lookup, which waits half a minute for a silent name server.
  const timeout = pause(TIMEOUT_MS, stop).then(() =>
    Promise.reject(new Error("no response in time")),
  );
  const { address } = await Promise.race([lookup(name), timeout]).catch((error) => {
    stop.throwIfAborted();
    throw createFault(`the name does not resolve (${explainNetworkError(error)})`);
  });
  const token = `latchkey-${randomBytes(16).toString("hex")}`;
  const value = randomBytes(16).toString("hex");
  using _published = challenges.publish(token, value);
  const url = new URL(`http://${formatUrlHost(address)}:${port}${CHALLENGE_PATH}${token}`);
  const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_RESPONSE_BYTES, stop };
  const response = await sendRequest(url, { headers: { Host: name }, ...limits }).catch((error) => {
    if (stop.aborted) throw error;
    throw createFault(`port ${port} of ${address} does not answer (${explainNetworkError(error)})`);
  });
  if (response.body !== value)
    throw createFault(`another server answers at ${address}, port ${port}`);
}
