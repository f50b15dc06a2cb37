import { createHmac, randomBytes } from "node:crypto";
import { deriveKey } from "../lib/derive-key.ts";
import { isSame } from "../lib/random-text.ts";

const NONCE_BYTES = 16;
const QUESTION = /^([\w-]{22})\.([\w-]{43})$/;

/** Lists names to prove. An unknown name counts as an empty name. */
type Names = readonly (string | undefined)[];

/**
 * Proves to the doctor that a gate has the same secret, folder and database. Only a doctor that
 * knows the secret can ask, so that an attacker gets no signature for guessing the secret.
 */
interface DoctorProof {
  createQuestion(): string;
  /**
   * Returns one proof of the secret and one proof of each name. Returns `undefined` if another
   * secret signed the question.
   */
  answerQuestion(question: string, names: Names): readonly string[] | undefined;
}

export function createDoctorProof(secret: string): DoctorProof {
  const key = deriveKey(secret, "latchkey identity");
  const computeMac = (text: string): string =>
    createHmac("sha256", key).update(text).digest("base64url");
  return {
    createQuestion() {
      const nonce = randomBytes(NONCE_BYTES).toString("base64url");
      return `${nonce}.${computeMac(`question ${nonce}`)}`;
    },

    answerQuestion(question, names) {
      const [, nonce, sentMac] = QUESTION.exec(question) ?? [];
      if (nonce === undefined || sentMac === undefined) return undefined;
      const expected = computeMac(`question ${nonce}`);
      if (!isSame(sentMac, expected)) return undefined;
      return ["", ...names].map((name, at) => computeMac(`answer ${nonce} ${at} ${name ?? ""}`));
    },
  };
}
