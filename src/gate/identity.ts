import { createIdentityProof } from "../core/hosts/identity-proof.ts";
import { DEVELOPMENT_SECRET } from "../core/sessions/session-token.ts";
import { fileIdentity } from "../stores/sqlite/file.ts";
import type { Handle } from "./handle.ts";
import type { OpenStore } from "./open-store.ts";
import type { Settings } from "./settings/settings.ts";

/** The header of the doctor's question and of the answer to it. */
export const IDENTITY_HEADER = "x-latchkey-identity";

/** What proves to a doctor that knows the secret which gate this is. */
interface GateIdentity {
  /** Must be called once the store is open. Until then, the gate has no database to name. */
  nameDatabase(): Promise<void>;
  /** The handler with the proof. Requests without the doctor's question get no more than before. */
  proving(handle: Handle): Handle;
}

export function gateIdentity(
  { secret, dataDir, database }: Pick<Settings, "secret" | "dataDir" | "database">,
  store: OpenStore,
): GateIdentity {
  const proof = createIdentityProof(secret || DEVELOPMENT_SECRET);
  let databaseName: string | undefined;
  return {
    async nameDatabase() {
      const { kind } = database;
      databaseName = kind === "sqlite" ? fileIdentity(database.file) : await store.identity?.();
    },

    proving: (handle) => (incoming, outgoing) => {
      const question = incoming.headers[IDENTITY_HEADER];
      if (typeof question === "string") {
        const answer = proof.answer(question, [fileIdentity(dataDir), databaseName]);
        if (answer !== undefined) outgoing.setHeader(IDENTITY_HEADER, answer.join("."));
      }
      handle(incoming, outgoing);
    },
  };
}
