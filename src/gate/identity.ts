import { createIdentityProof } from "../core/identity-proof.ts";
import { DEVELOPMENT_SECRET } from "../core/session-token.ts";
import { fileIdentity } from "../stores/sqlite/file.ts";
import type { Handle } from "./listener.ts";
import type { OpenStore } from "./open-store.ts";
import type { Settings } from "./settings/settings.ts";

/** The header of the doctor's question and of the answer to it. */
export const IDENTITY_HEADER = "x-latchkey-identity";

/** Proves which gate this is to a doctor that knows the secret. Other requests get no answer. */
export async function provingIdentity(
  handle: Handle,
  { secret, dataDir, database }: Pick<Settings, "secret" | "dataDir" | "database">,
  store: OpenStore,
): Promise<Handle> {
  const proof = createIdentityProof(secret || DEVELOPMENT_SECRET);
  const stored = database.kind === "sqlite" ? fileIdentity(database.file) : store.identity?.();
  const names = [fileIdentity(dataDir), await stored];
  return (incoming, outgoing) => {
    const question = incoming.headers[IDENTITY_HEADER];
    if (typeof question === "string") {
      const answer = proof.answer(question, names);
      if (answer !== undefined) outgoing.setHeader(IDENTITY_HEADER, answer.join("."));
    }
    handle(incoming, outgoing);
  };
}
