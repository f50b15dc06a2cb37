import type { Life } from "../gate.ts";
import type { CodeHolder, Enrolment } from "./enrolment.ts";
import { createFact, type Fact } from "./fact.ts";
import { BOUND_MS, createSessionModel } from "./sessions.ts";

/** An account beside the first one. Its username is used once. */
export interface Member extends CodeHolder {
  readonly username: string;
  /** Links and the operator replace it. */
  readonly password: Fact<string>;
  /** All that it may have had. */
  readonly passwords: string[];
  readonly state: Fact<"absent" | "present">;
  /** Separated by commas. */
  readonly groups: Fact<string>;
  /** By the system clock of a gate, in milliseconds since 1970; infinite for most. */
  readonly endsAt: number;
}

interface NewMember extends Pick<Member, "username" | "endsAt"> {
  readonly groups: string;
}

/** An account that a request is about to make. */
export function createMember(
  { username, groups, endsAt }: NewMember,
  now: () => number,
  lateMs: number,
): Member {
  const fact = <T>(first: T): Fact<T> => createFact(first, now, lateMs);
  const password = `password of ${username}`;
  return {
    username,
    endsAt,
    password: fact(password),
    passwords: [password],
    state: fact<"absent" | "present">("absent"),
    groups: fact(groups),
    sessions: createSessionModel(now, lateMs),
    codes: fact<Enrolment | "off">("off"),
    enrolments: [],
  };
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
