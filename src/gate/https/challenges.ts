import { randomBytes } from "node:crypto";
import type { Handle } from "../listener.ts";
import { answer } from "../refusals.ts";
import type { Challenges } from "./acme/order.ts";

const CHALLENGE_PATH = "/.well-known/acme-challenge/";

/** Answers ACME challenges, which prove that a name points to this gate. */
export interface ChallengeResponder extends Challenges {
  /** Publishes a random value that only this process knows, for the domain check. */
  probe(): { readonly path: string; readonly answer: string; withdraw(): void };
  /** Returns whether this was a published challenge, which it has then answered. */
  answer(...request: Parameters<Handle>): boolean;
}

export function createChallengeResponder(): ChallengeResponder {
  const answers = new Map<string, string>();
  return {
    publish: (token, answer) => void answers.set(token, answer),
    withdraw: (token) => void answers.delete(token),

    probe() {
      const token = `latchkey-${randomBytes(16).toString("hex")}`;
      const answer = randomBytes(16).toString("hex");
      answers.set(token, answer);
      return { path: `${CHALLENGE_PATH}${token}`, answer, withdraw: () => answers.delete(token) };
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
