import { LATE_MS } from "../faulty-store.ts";
import { type Life, START } from "../gate.ts";
import type { TokenKind } from "../provider.ts";
import type { Fact } from "./fact.ts";
import { type Member, mustHaveEnded } from "./member.ts";
import { BOUND_MS, type Ending, type KnownSession } from "./sessions.ts";
import { promise } from "./violation.ts";

/** An app that signs people in with OpenID Connect. Its ID is used once. */
export interface KnownApp {
  readonly id: string;
  readonly state: Fact<"absent" | "present">;
  /** Separated by commas. Empty for an app that admits everybody. */
  readonly groups: Fact<string>;
  /** The app learns here that sessions have ended; `undefined` if it does not want to know. */
  readonly backchannelUrl: string | undefined;
  /** How the app answers there. */
  readonly answers: "always" | "sometimes" | "never";
  /** The sessions of which it has acknowledged the end, once for each acknowledgement. */
  readonly acknowledged: { readonly sid: string; readonly at: number }[];
}

/** Who signs in to apps: the first account, or a member. */
export type Person = Pick<Member, "username" | "sessions" | "groups" | "state" | "endsAt">;

/** What a person has granted an app, as far as answers tell. */
export interface KnownGrant {
  readonly id: string;
  readonly label: string;
  readonly app: KnownApp;
  readonly person: Person;
  readonly session: KnownSession;
  /** Whether it outlives the session. */
  readonly isOffline: boolean;
  /** When it ended for a reason of its own: its access was taken back, or a code was used twice. */
  ended: { readonly at: number } | undefined;
  /** Requests that may end it and were not answered, or not yet. */
  doubts: number;
  /** Of the facts when it was granted. An app can be told of an exclusion that is over already. */
  readonly versions: readonly number[];
  /** Whether the groups had been the same for long enough that no gate could act on others. */
  readonly wasSettled: boolean;
  /** When the last request began that has got a code or tokens. */
  issuedAt: number;
  readonly tokens: KnownToken[];
}

/** A code or token of an app. */
export interface KnownToken {
  readonly kind: TokenKind;
  readonly text: string;
  /** In seconds since 1970, by the clock of the gate that has issued it. */
  readonly exp: number;
  readonly grant: KnownGrant;
  uses: number;
  /** How many responses contained tokens for it. */
  accepted: number;
}

type Holder = Pick<KnownGrant, "app" | "person" | "session" | "isOffline" | "ended">;

const factsOf = ({ app, person }: Pick<Holder, "app" | "person">) => [
  app.state,
  app.groups,
  person.state,
  person.groups,
];

export const versionsOf = (holder: Pick<Holder, "app" | "person">): readonly number[] =>
  factsOf(holder).map(({ version }) => version);

export const isSettled = ({ app, person }: Pick<Holder, "app" | "person">, now: number): boolean =>
  [app.groups, person.groups].every(
    ({ version, value, since }) => version === 0 || (value !== undefined && now - since > LATE_MS),
  );

export function isListed(appGroups: string, personGroups: string): boolean {
  const groups = personGroups.split(",");
  return appGroups === "" || appGroups.split(",").some((group) => groups.includes(group));
}

/** A request begins that may end this grant. */
export function endingGrant(grant: KnownGrant, now: () => number): (outcome: Ending) => void {
  grant.doubts += 1;
  return (outcome) => {
    if (outcome !== "unknown") grant.doubts -= 1;
    if (outcome === "ended") grant.ended ??= { at: now() };
  };
}

const EXCLUDED = "the app does not admit the person";

/**
 * Why nothing of the grant may be admitted any more; `undefined` if it may be valid.
 *
 * @param boundMs How long ago it must have ended.
 */
export function findReason(holder: Holder, life: Life, boundMs = BOUND_MS): string | undefined {
  const { app, person, session, isOffline, ended } = holder;
  const isOver = (end: { readonly at: number } | undefined): boolean =>
    end !== undefined && life.since(end.at) > boundMs;
  const isAbsent = ({ value, since }: KnownApp["state"]): boolean =>
    value === "absent" && life.since(since) > boundMs;
  if (isOver(ended)) return "access was ended";
  if (isOver(isOffline ? session.endedWithAll : session.ended)) return `${session.label} has ended`;
  if (isAbsent(person.state)) return "the account was removed";
  if (isAbsent(app.state)) return "the app was removed";
  const [ofApp, ofPerson] = [app.groups, person.groups];
  if (ofApp.value === undefined || ofPerson.value === undefined) return undefined;
  const isSure = [ofApp, ofPerson].every(({ since }) => life.since(since) > boundMs);
  const isExcluded = isSure && !isListed(ofApp.value, ofPerson.value);
  return isExcluded ? EXCLUDED : undefined;
}

/** A request begins. Returns a function that says why it must be refused. */
export function expectingRefusal(holder: Holder, life: Life): () => string | undefined {
  const reason = findReason(holder, life);
  const versions = versionsOf(holder);
  // Who was excluded at the beginning can be admitted by now.
  const isSame = (): boolean => versionsOf(holder).every((one, at) => one === versions[at]);
  return () => (reason !== EXCLUDED || isSame() ? reason : undefined);
}

/** Whether its time is over by the clock of the gate, and the clock has not been set since. */
export function hasExpired(
  { person, session, isOffline }: Holder,
  life: Life,
  boundMs = BOUND_MS,
): boolean {
  const isSteady = life.since(life.clockSetAt()) > boundMs;
  const isOver = !isOffline && isSteady && life.now() - boundMs > session.expiresAt;
  return isOver || mustHaveEnded(person, life);
}

/** Two clocks differ by less, also while one of them is wrong. */
const MAX_AHEAD_MS = 120_000;

/** Whether it must be valid, on all gates and whatever their clocks say. */
export function isValid(grant: KnownGrant, now: number): boolean {
  const { app, person, session, isOffline, ended, doubts, versions, wasSettled } = grant;
  if (!wasSettled || ended !== undefined || doubts > 0) return false;
  if (session.doubts > 0 || session.refusedBy.size > 0) return false;
  if ((isOffline ? session.endedWithAll : session.ended) !== undefined) return false;
  if (versionsOf(grant).some((version, at) => version !== versions[at])) return false;
  const latest = START + now + MAX_AHEAD_MS;
  if (person.endsAt <= latest || (!isOffline && session.expiresAt <= latest)) return false;
  const areCertain = app.state.value === "present" && person.state.value === "present";
  return areCertain && isListed(app.groups.value ?? "none", person.groups.value ?? "");
}

/** A gate is asked. Returns a function that checks whether it may admit, and must. */
export function askingGate(
  grant: KnownGrant,
  life: Life,
  now: () => number,
): (isAdmitted: boolean, isExpired?: boolean) => void {
  const from = now();
  const findRefusal = expectingRefusal(grant, life);
  const wasExpired = hasExpired(grant, life);
  // A gate reads all apps once a second.
  const wasValid = isValid(grant, from) && life.since(grant.app.state.since) > BOUND_MS;
  return (isAdmitted, isExpired = false) => {
    const isSame = life.clockSetAt() < from;
    const reason = findRefusal();
    promise(!isAdmitted || reason === undefined, `${grant.label} is admitted, but ${reason}`);
    promise(!(isAdmitted && wasExpired && isSame), `${grant.label} has expired, and is admitted`);
    const mustAdmit = wasValid && isValid(grant, now()) && isSame && !isExpired;
    promise(isAdmitted || !mustAdmit, `${grant.label} is valid, and is refused`);
  };
}
