import type { Fact } from "./fact.ts";
import type { SessionModel } from "./sessions.ts";

/** An account beside the first one. Its username is used once. */
export interface Member {
  readonly username: string;
  readonly password: string;
  readonly state: Fact<"absent" | "present">;
  /** Separated by commas. */
  readonly groups: Fact<string>;
  readonly sessions: SessionModel;
}
