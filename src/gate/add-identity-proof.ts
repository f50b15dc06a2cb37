import { getFileId } from "../db/sqlite/file.ts";
import { DEVELOPMENT_SECRET } from "../identity/session-token.ts";
import type { Handler } from "./handle.ts";
import { createDoctorProof } from "./identity-proof.ts";
import type { Settings } from "./settings/settings.ts";

/** The header of the doctor's question and of the answer to it. */
export const PROOF_HEADER = "x-latchkey-identity";

/**
 * The handler with the proof, for a doctor that knows the secret, of which gate this is. Requests
 * without the doctor's question get no more than before. The database is known once it is open.
 */
export function addIdentityProof(
  handle: Handler,
  { secret, dataDir }: Settings,
  getDatabaseId: () => string | undefined,
): Handler {
  const proof = createDoctorProof(secret || DEVELOPMENT_SECRET);
  return (incoming, outgoing) => {
    const challenge = incoming.headers[PROOF_HEADER];
    if (typeof challenge === "string") {
      const proofResponse = proof.answerQuestion(challenge, [getFileId(dataDir), getDatabaseId()]);
      if (proofResponse !== undefined) outgoing.setHeader(PROOF_HEADER, proofResponse.join("."));
    }
    handle(incoming, outgoing);
  };
}
