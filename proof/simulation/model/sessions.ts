import type { IssuedToken } from "../../../src/identity/session-token.ts";
import type { Life } from "../gate.ts";
import { promise } from "./violation.ts";

/** What a gate may still use without asking the store again. */
export const BOUND_MS = 1_000;

/** What is known of a session from the answers to its clients. */
export interface KnownSession {
  readonly label: string;
  readonly token: string;
  readonly id: string;
  /** By the system clock of a gate, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** The first answer that it has ended, and the gate that gave it. */
  ended: { readonly at: number; readonly by: Life | undefined } | undefined;
  /** The first answer that all sessions of its account have ended. */
  endedWithAll: { readonly at: number } | undefined;
  /** Requests that may end it and were not answered, or not yet. */
  doubts: number;
  /** Gates that refuse it although they could not end it in the store. */
  readonly refusedBy: Set<Life>;
}

/** The effect of a request that should end sessions. */
export type Ending = "ended" | "unchanged" | "unknown";

interface EndOfAll {
  readonly from: number;
  until: number;
}

/** The model of all sessions of one account. */
export interface SessionModel {
  readonly all: readonly KnownSession[];
  /** A request that began at `from` has answered with this token. */
  started(given: IssuedToken, from: number): KnownSession;
  /** A request begins that may end this session. */
  ending(session: KnownSession, life?: Life): (outcome: Ending) => void;
  /** A request begins that may end all sessions up to now. */
  endingAll(life?: Life): (outcome: Ending) => void;
  /** A guard is asked. Returns a function that checks its answer. */
  asking(session: KnownSession, life: Life): (isAdmitted: boolean) => void;
}

/** @param lateMs How long after a failure a request can still take effect. */
export function createSessionModel(now: () => number, lateMs: number): SessionModel {
  const all: KnownSession[] = [];
  const ends: EndOfAll[] = [];

  function ending(session: KnownSession, life?: Life): (outcome: Ending) => void {
    session.doubts += 1;
    return (outcome) => {
      if (outcome !== "unknown") session.doubts -= 1;
      if (outcome === "ended") session.ended ??= { at: now(), by: life };
    };
  }

  return {
    all,
    ending,

    started({ text: token, id, expiresAt }, from) {
      const overlaps = ends.some(({ until }) => until >= from);
      const label = `session ${all.length + 1}`;
      const doubts = overlaps ? 1 : 0;
      const known = { label, token, id, expiresAt, doubts };
      const notEnded = { ended: undefined, endedWithAll: undefined };
      const session = { ...known, ...notEnded, refusedBy: new Set<Life>() };
      all.push(session);
      return session;
    },

    endingAll(life) {
      const end: EndOfAll = { from: now(), until: Number.POSITIVE_INFINITY };
      ends.push(end);
      const sessions = [...all];
      const each = sessions.map((session) => ending(session, life));
      return (outcome) => {
        if (outcome === "unchanged") ends.splice(ends.indexOf(end), 1);
        end.until = outcome === "unknown" ? now() + lateMs : now();
        for (const one of each) one(outcome);
        if (outcome !== "ended") return;
        for (const session of sessions) session.endedWithAll ??= { at: now() };
      };
    },

    asking(session, life) {
      const { ended } = session;
      const isRefusedHere = session.refusedBy.has(life);
      const bound = ended?.by === life ? 0 : BOUND_MS;
      const mustRefuse = isRefusedHere || (ended !== undefined && life.since(ended.at) > bound);
      const from = now();
      const isExpired = isExpiredAt(session, life);
      const wasValid = isValid(session) && life.now() < session.expiresAt;
      return (isAdmitted) => {
        const isSure = isExpired && life.clockSetAt() < from;
        promise(!(isAdmitted && isSure), `${session.label} has expired, and is admitted`);
        promise(!(isAdmitted && mustRefuse), `${session.label} has ended, and is admitted`);
        const isStillValid =
          wasValid &&
          isValid(session) &&
          life.now() < session.expiresAt &&
          life.clockSetAt() < from;
        promise(isAdmitted || !isStillValid, `${session.label} is valid, and is refused`);
      };
    },
  };
}

/** A gate reads its clock once within the bound. A reading from before a change may still count. */
const isExpiredAt = ({ expiresAt }: KnownSession, life: Life): boolean =>
  life.now() - BOUND_MS > expiresAt && life.since(life.clockSetAt()) > BOUND_MS;

const isValid = ({ ended, doubts }: KnownSession): boolean => ended === undefined && doubts === 0;
