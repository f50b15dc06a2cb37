import type { LoggedAction } from "../judge/log.ts";
import type { PasswordHistory } from "../judge/passwords.ts";

/** The actions on the gates of one series, and the state that must result. */
export interface History {
  readonly actions: readonly LoggedAction[];
  readonly sessions: readonly string[];
  readonly password: PasswordHistory;
  /** The password that was replaced last. */
  readonly replaced: string | undefined;
  readonly problems: readonly string[];
  /** Starts the actions of the next process. */
  processStarted(): void;
  /** Records an action. Returns `undefined` if the process ended without a response. */
  done<T>(
    action: LogText,
    ask: () => Promise<T>,
    succeeded: (answer: T) => boolean,
  ): Promise<T | undefined>;
  /** Records the pending actions of the killed process as possibly done. */
  processEnded(): void;
  signedIn(session: string): void;
  changing(to: string): void;
  /** Records which password is valid. */
  isCurrent(password: string): void;
  problem(text: string): void;
}

export type LogText = Pick<LoggedAction, "type" | "summary">;

export function createHistory(password: string): History {
  const actions: LoggedAction[] = [];
  const sessions: string[] = [];
  const problems: string[] = [];
  let pending: Omit<LoggedAction, "to" | "done">[] = [];
  let life = 0;
  let history: PasswordHistory = { acknowledged: password, inFlight: undefined };
  let replaced: string | undefined;

  return {
    actions,
    sessions,
    problems,
    get password() {
      return history;
    },
    get replaced() {
      return replaced;
    },
    processStarted() {
      life += 1;
    },
    async done(text, ask, succeeded) {
      const action = { ...text, life, from: Date.now() };
      pending.push(action);
      const answer = await ask().catch(() => undefined);
      if (answer === undefined) return undefined;
      pending = pending.filter((one) => one !== action);
      if (succeeded(answer)) actions.push({ ...action, to: Date.now(), done: "acknowledged" });
      return answer;
    },
    processEnded() {
      const to = Date.now();
      actions.push(...pending.map((action): LoggedAction => ({ ...action, to, done: "unknown" })));
      pending = [];
    },
    signedIn: (session) => void sessions.push(session),
    changing(to) {
      history = { ...history, inFlight: to };
    },
    isCurrent(now) {
      if (now !== history.acknowledged) replaced = history.acknowledged;
      history = { acknowledged: now, inFlight: undefined };
    },
    problem: (text) => void problems.push(text),
  };
}
