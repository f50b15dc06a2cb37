import { randomBytes } from "node:crypto";
import { NOTHING_RUNS } from "../../web/responses.ts";
import type { Handle } from "../listener.ts";
import type { Challenges } from "./acme/order.ts";

const CHALLENGE_PATH = "/.well-known/acme-challenge/";

/** Answers with which a gate proves that a name leads to it. */
export interface ChallengeResponder extends Challenges {
  /** Something that only this process answers with, to see whether a name leads here. */
  probe(): { readonly path: string; readonly answer: string; withdraw(): void };
  /** Whether the request was one for a challenge, and is answered. */
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
      // Not ours: another client for certificates may live behind the application.
      if (answer === undefined || (method !== "GET" && method !== "HEAD")) return false;
      outgoing.setHeader("Content-Type", "application/octet-stream");
      outgoing.setHeader("X-Content-Type-Options", "nosniff");
      outgoing.setHeader("Content-Security-Policy", NOTHING_RUNS);
      outgoing.end(answer);
      return true;
    },
  };
}
