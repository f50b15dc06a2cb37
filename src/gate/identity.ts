import { createIdentityProof } from "../core/hosts/identity-proof.ts";
import { DEVELOPMENT_SECRET } from "../core/sessions/session-token.ts";
import { fileIdentity } from "../db/sqlite/file.ts";
import type { Handle } from "./handle.ts";
import type { Settings } from "./settings/settings.ts";

/** The header of the doctor's question and of the answer to it. */
export const IDENTITY_HEADER = "x-latchkey-identity";

/**
 * The handler with the proof, for a doctor that knows the secret, of which gate this is. Requests
 * without the doctor's question get no more than before. The database is known once it is open.
 */
export function provingIdentity(
  handle: Handle,
  { secret, dataDir }: Settings,
  nameOfDatabase: () => string | undefined,
): Handle {
  const proof = createIdentityProof(secret || DEVELOPMENT_SECRET);
  return (incoming, outgoing) => {
    const question = incoming.headers[IDENTITY_HEADER];
    if (typeof question === "string") {
      const answer = proof.answer(question, [fileIdentity(dataDir), nameOfDatabase()]);
      if (answer !== undefined) outgoing.setHeader(IDENTITY_HEADER, answer.join("."));
    }
    handle(incoming, outgoing);
  };
}
