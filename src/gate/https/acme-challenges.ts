import { randomBytes } from "node:crypto";
import type { Handle } from "../handle.ts";
import { answer } from "../refusals.ts";

const CHALLENGE_PATH = "/.well-known/acme-challenge/";

/** Answers ACME challenges, which prove that a name points to this gate. */
export interface ChallengeResponder {
  /** Answers the token until the result is disposed of. */
  publish(token: string, answer: string): Disposable;
  /** Publishes a random value that only this process knows, for the domain check. */
  probe(): { readonly path: string; readonly answer: string } & Disposable;
  /** Returns whether this was a published challenge, which it has then answered. */
  answer(...request: Parameters<Handle>): boolean;
}

export function createChallengeResponder(): ChallengeResponder {
  const answers = new Map<string, string>();
  const publish = (token: string, answer: string): Disposable => {
    answers.set(token, answer);
    return { [Symbol.dispose]: () => void answers.delete(token) };
  };
  return {
    publish,

    probe() {
      const token = `latchkey-${randomBytes(16).toString("hex")}`;
      const answer = randomBytes(16).toString("hex");
      return { path: `${CHALLENGE_PATH}${token}`, answer, ...publish(token, answer) };
    },

    answer({ method, url = "" }, outgoing) {
      if (!url.startsWith(CHALLENGE_PATH)) return false;
      const text = answers.get(url.slice(CHALLENGE_PATH.length));
      // An unknown token may belong to another ACME client behind the application.
      if (text === undefined || (method !== "GET" && method !== "HEAD")) return false;
      answer(outgoing, 200, { "Content-Type": "application/octet-stream" }, text);
      return true;
    },
  };
}
