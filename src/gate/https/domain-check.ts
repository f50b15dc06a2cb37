import { lookup } from "node:dns/promises";
import { AnyFault } from "../../core/base/fault.ts";
import { inUrl } from "../reach.ts";
import type { ChallengeResponder } from "./acme-challenges.ts";
import { connectionFailure, sendRequest } from "./http-request.ts";

/** The port that certificate authorities use for HTTP challenges. */
const HTTP_PORT = 80;
const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 64;

/**
 * Requests a value under the name that only this gate knows, before an authority does the same:
 * an authority counts failed checks, and after a few it refuses for an hour.
 */
export async function checkDomain(
  name: string,
  responder: Pick<ChallengeResponder, "probe">,
  stop: AbortSignal,
  port: number = HTTP_PORT,
): Promise<void> {
  const fault = (reason: string): AnyFault =>
    new AnyFault("domain_not_here", `${name} does not point to this gate: ${reason}`);
  const address = await lookup(name).then(
    (found) => found.address,
    (error) => {
      throw fault(`the name does not resolve (${connectionFailure(error)})`);
    },
  );
  using probe = responder.probe();
  const url = new URL(`http://${inUrl(address)}:${port}`);
  url.pathname = probe.path;
  const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_RESPONSE_BYTES, stop };
  const response = await sendRequest(url, { headers: { Host: name }, ...limits }).catch((error) => {
    if (stop.aborted) throw error;
    throw fault(`port ${port} of ${address} does not answer (${connectionFailure(error)})`);
  });
  if (response.body !== probe.answer) {
    throw fault(`another server answers at ${address}, port ${port}`);
  }
}
