import { createHmac, randomBytes } from "node:crypto";
import { derivedKey } from "../base/derived-key.ts";
import { isSame } from "../base/random-text.ts";

const NONCE_BYTES = 16;
const QUESTION = /^([\w-]{22})\.([\w-]{43})$/;

/** An unknown name counts as an empty one. */
type Names = readonly (string | undefined)[];

/**
 * Shows the doctor whether a gate has its secret and uses the same folder and database. Only who
 * knows the secret can ask, so that others get no signature to guess the secret with.
 */
interface IdentityProof {
  question(): string;
  /** A proof of the secret and one of each name; `undefined` if another secret signed the question. */
  answer(question: string, names: Names): readonly string[] | undefined;
}

export function createIdentityProof(secret: string): IdentityProof {
  const key = derivedKey(secret, "latchkey identity");
  const macOf = (text: string): string =>
    createHmac("sha256", key).update(text).digest("base64url");
  return {
    question() {
      const nonce = randomBytes(NONCE_BYTES).toString("base64url");
      return `${nonce}.${macOf(`question ${nonce}`)}`;
    },

    answer(question, names) {
      const [, nonce, given] = QUESTION.exec(question) ?? [];
      if (nonce === undefined || given === undefined) return undefined;
      const expected = macOf(`question ${nonce}`);
      if (!isSame(given, expected)) return undefined;
      return ["", ...names].map((name, at) => macOf(`answer ${nonce} ${at} ${name ?? ""}`));
    },
  };
}
