import { randomBytes } from "node:crypto";
import { NOTHING_RUNS } from "../../web/responses.ts";
import type { Handle } from "../listener.ts";
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
      const answer = answers.get(url.slice(CHALLENGE_PATH.length));
      // An unknown token may belong to another ACME client behind the application.
      if (answer === undefined || (method !== "GET" && method !== "HEAD")) return false;
      outgoing.setHeader("Content-Type", "application/octet-stream");
      outgoing.setHeader("X-Content-Type-Options", "nosniff");
      outgoing.setHeader("Content-Security-Policy", NOTHING_RUNS);
      outgoing.end(answer);
      return true;
    },
  };
}
