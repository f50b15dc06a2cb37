import type { Fact } from "./fact.ts";
import type { SessionModel } from "./sessions.ts";

/** A key in an authenticator app, with the recovery codes of its account. */
export interface Enrolment {
  readonly key: Uint8Array;
  readonly recoveryCodes: readonly string[];
  /** The codes that were accepted: steps, and recovery codes. */
  readonly used: Set<string>;
}

/** Who signs in with codes: the first account, or a member. */
export interface CodeHolder {
  readonly sessions: SessionModel;
  readonly codes: Fact<Enrolment | "off">;
  readonly enrolments: Enrolment[];
}
