import { getFileId } from "../db/sqlite/file.ts";
import { DEVELOPMENT_SECRET } from "../identity/session-token.ts";
import type { Handler } from "./create-handler.ts";
import { createDoctorProof } from "./identity-proof.ts";
import type { Settings } from "./settings/settings.ts";

/** Names the header of the doctor's question and of the response to it. */
export const PROOF_HEADER = "x-latchkey-identity";

/**
 * Returns the handler with a proof of its identity, which only a doctor that knows the secret can
 * request. Other responses do not change. The database ID is `undefined` until the database is
 * open.
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
