import type { Deed } from "../judge/log.ts";
import type { PasswordHistory } from "../judge/passwords.ts";

/** All that was done to the gates of one series, and what it has to have led to. */
export interface History {
  readonly deeds: readonly Deed[];
  readonly sessions: readonly string[];
  readonly password: PasswordHistory;
  /** One that was replaced, if any was. */
  readonly replaced: string | undefined;
  readonly problems: readonly string[];
  /** From now on another process does it. */
  newLife(): void;
  /** `undefined` stands for a process that went away without an answer. */
  done<T>(
    deed: Told,
    ask: () => Promise<T>,
    succeeded: (answer: T) => boolean,
  ): Promise<T | undefined>;
  /** What was being done when the process was killed was done by now, if at all. */
  lifeOver(): void;
  signedIn(session: string): void;
  changing(to: string): void;
  /** It turned out which of the two is in force. */
  inForce(password: string): void;
  problem(text: string): void;
}

export type Told = Pick<Deed, "type" | "summary">;

export function createHistory(password: string): History {
  const deeds: Deed[] = [];
  const sessions: string[] = [];
  const problems: string[] = [];
  let underWay: Omit<Deed, "to" | "done">[] = [];
  let life = 0;
  let history: PasswordHistory = { acknowledged: password, inFlight: undefined };
  let replaced: string | undefined;

  return {
    deeds,
    sessions,
    problems,
    get password() {
      return history;
    },
    get replaced() {
      return replaced;
    },
    newLife() {
      life += 1;
    },
    async done(told, ask, succeeded) {
      const deed = { ...told, life, from: Date.now() };
      underWay.push(deed);
      const answer = await ask().catch(() => undefined);
      if (answer === undefined) return undefined;
      underWay = underWay.filter((one) => one !== deed);
      if (succeeded(answer)) deeds.push({ ...deed, to: Date.now(), done: "surely" });
      return answer;
    },
    lifeOver() {
      const to = Date.now();
      deeds.push(...underWay.map((deed): Deed => ({ ...deed, to, done: "perhaps" })));
      underWay = [];
    },
    signedIn: (session) => void sessions.push(session),
    changing(to) {
      history = { ...history, inFlight: to };
    },
    inForce(now) {
      if (now !== history.acknowledged) replaced = history.acknowledged;
      history = { acknowledged: now, inFlight: undefined };
    },
    problem: (text) => void problems.push(text),
  };
}
