import type { Life } from "../gate.ts";
import type { Fact } from "./fact.ts";
import { BOUND_MS, type SessionModel } from "./sessions.ts";

/** An account beside the first one. Its username is used once. */
export interface Member {
  readonly username: string;
  readonly password: string;
  readonly state: Fact<"absent" | "present">;
  /** Separated by commas. */
  readonly groups: Fact<string>;
  readonly sessions: SessionModel;
  /** By the system clock of a gate, in milliseconds since 1970; infinite for most. */
  readonly endsAt: number;
}

/** A gate reads its clock once within the bound. A reading from before a change may still count. */
export const mustHaveEnded = ({ endsAt }: Pick<Member, "endsAt">, life: Life): boolean =>
  life.now() - BOUND_MS > endsAt && life.since(life.clockSetAt()) > BOUND_MS;

/** Whether it cannot have ended since `from`. */
export const cannotHaveEnded = (
  { endsAt }: Pick<Member, "endsAt">,
  life: Life,
  from: number,
): boolean => life.now() < endsAt && life.clockSetAt() < from;
