import { revokeAccess } from "../../../src/features/apps/manage-consents.ts";
import type { Life } from "../gate.ts";
import {
  askingGate,
  endingGrant,
  expectingRefusal,
  isSettled,
  isValid,
  type KnownApp,
  type KnownGrant,
  type KnownToken,
  type Person,
  versionsOf,
} from "../model/apps.ts";
import type { KnownSession } from "../model/sessions.ts";
import { promise } from "../model/violation.ts";
import { askUserinfo, authorize, exchange, type Issued, type TokenKind } from "../provider.ts";
import type { World } from "../world.ts";
import { type Action, FAILED, type Step, visit } from "./step.ts";

const OFFLINE = 0.4;
/** How often a person returns to an app in the same session. */
const AGAIN = 0.5;
/** How often an app uses a code at once, and how often another gate gets it at the same time. */
const USED_AT_ONCE = 0.8;
const TWICE_AT_ONCE = 0.15;

const pickPerson = ({ random, owner, members }: World): Person =>
  random.pick([owner, ...members]) ?? owner;

function pickSession({ random }: World, { sessions }: Person): KnownSession | undefined {
  const { all } = sessions;
  return all[Math.floor(all.length * (1 - random.next() ** 2 * 0.999))];
}

export const signInToApp: Action = async (world, step) => {
  const { random } = world;
  const known = random.chance(AGAIN) ? random.pick(world.grants) : undefined;
  const app = known?.app ?? random.pick(world.apps);
  const person = known?.person ?? pickPerson(world);
  const session = known?.session ?? pickSession(world, person);
  if (app === undefined || session === undefined) return "without an app or a session";
  const isOffline = known?.isOffline ?? random.chance(OFFLINE);
  const code = await askForCode(world, step.life, { app, person, session, isOffline });
  if (code === undefined) return `${app.id} with ${session.label}: no code`;
  const { label } = code.grant;
  if (!random.chance(USED_AT_ONCE)) return `${app.id} with ${session.label}: ${label}, a code`;
  const outcome = await useOften(world, step, code);
  return `${app.id} with ${session.label}: ${label}, ${outcome}`;
};

async function askForCode(
  world: World,
  life: Life,
  asked: Pick<KnownGrant, "app" | "person" | "session" | "isOffline">,
): Promise<KnownToken | undefined> {
  const { time, grants } = world;
  const { app, person, session, isOffline } = asked;
  const from = time.now();
  // Without a session that is admitted, not even an offline grant begins.
  const holder = { ...asked, isOffline: false, ended: undefined };
  const findRefusal = expectingRefusal(holder, life);
  const versions = versionsOf(asked);
  const wasSettled = isSettled(asked, from);
  const scope = isOffline ? "openid offline_access" : "openid";
  const result = await world.request(life, () =>
    authorize(life.rules, session.token, app.id, scope),
  );
  if (result?.answer.kind !== "authorized") return undefined;
  const reason = findRefusal();
  promise(reason === undefined, `${app.id} gets a code of ${session.label}, but ${reason}`);
  const { code, grantId } = result.answer;
  const known = grants.find(({ id }) => id === grantId);
  if (known !== undefined) {
    known.issuedAt = Math.max(known.issuedAt, from);
    return keepToken(known, "AuthorizationCode", code);
  }
  const isDoubtful = world.revocations.some(
    (one) => one.app === app && one.person === person && one.until >= from,
  );
  const grant: KnownGrant = {
    ...asked,
    id: grantId,
    label: `${isOffline ? "offline grant" : "grant"} ${grants.length + 1}`,
    ended: undefined,
    doubts: isDoubtful ? 1 : 0,
    versions,
    wasSettled,
    issuedAt: from,
    tokens: [],
  };
  grants.push(grant);
  return keepToken(grant, "AuthorizationCode", code);
}

function keepToken(grant: KnownGrant, kind: TokenKind, { text, exp }: Issued): KnownToken {
  const token: KnownToken = { kind, text, exp, grant, uses: 0, accepted: 0 };
  grant.tokens.push(token);
  return token;
}

/** Codes and refresh tokens are used again too, as by a thief. */
export const useAnyToken: Action = async (world, step) => {
  const { random, grants } = world;
  const grant = random.pick(grants);
  const usable = grant?.tokens.filter(({ kind }) => kind !== "AccessToken") ?? [];
  // The newest is the one that an honest app uses.
  const token = random.chance(0.8) ? usable.at(-1) : random.pick(usable);
  if (token === undefined) return "without a grant";
  return `${token.kind} of ${token.grant.label}: ${await useOften(world, step, token)}`;
};

async function useOften(world: World, { life }: Step, token: KnownToken): Promise<string> {
  const { random, gates } = world;
  const other = random.chance(TWICE_AT_ONCE) ? random.pick(gates)?.life : undefined;
  const lives = other === undefined ? [life] : [life, other];
  const kinds = await Promise.all(lives.map((one) => useToken(world, one, token)));
  return kinds.join(" and ");
}

/** Exchanges a code or refresh token. It counts once, and a second use ends its grant. */
async function useToken(world: World, life: Life, token: KnownToken): Promise<string> {
  const { time } = world;
  const { kind, text, grant, exp } = token;
  if (kind === "AccessToken") return "not to be exchanged";
  const from = time.now();
  const isExpired = (): boolean => Math.floor(life.now() / 1_000) >= exp;
  const wasExpired = isExpired();
  const wasAccepted = token.accepted > 0;
  const wasValid = isValid(grant, from);
  const isFirst = token.uses === 0;
  const checked = askingGate(grant, life, time.now);
  const learn = endingGrant(grant, time.now);
  token.uses += 1;
  const result = await world.request(life, () => exchange(life.rules, kind, text));
  if (result === undefined) {
    learn("unknown");
    return FAILED;
  }
  const { answer } = result;
  learn("unchanged");
  const isLate = wasExpired || isExpired();
  const isStillValid = wasValid && isValid(grant, time.now());
  if (answer.kind === "used") {
    // An end at the same time, which removes the code, is not told from another use.
    const isOther = token.uses > 1 || !isStillValid;
    promise(isOther, `the ${kind} of ${grant.label} was never used, and is refused as used`);
    grant.ended ??= { at: time.now() };
  }
  // Another use at the same time may have been the first.
  const isOnly = isFirst && token.uses === 1;
  checked(answer.kind === "tokens", isLate || !isOnly);
  const isMissed = answer.kind === "refused" && wasAccepted && isStillValid && !isLate;
  promise(!isMissed, `a second use of a ${kind} leaves ${grant.label}`);
  if (answer.kind !== "tokens") return answer.kind;
  token.accepted += 1;
  grant.issuedAt = Math.max(grant.issuedAt, from);
  promise(token.accepted === 1, `two responses have tokens for one ${kind} of ${grant.label}`);
  keepToken(grant, "AccessToken", answer.access);
  keepToken(grant, "RefreshToken", answer.refresh);
  return answer.kind;
}

export const askWithAnyToken: Action = async (world, step) => {
  const { random, grants } = world;
  const grant = grants[Math.floor(grants.length * (1 - random.next() ** 2 * 0.999))];
  const token = random.pick(grant?.tokens.filter(({ kind }) => kind === "AccessToken") ?? []);
  return token === undefined ? "without a token" : askWithToken(world, step.life, token);
};

/** An app asks at a gate who the person is. */
export async function askWithToken(
  world: World,
  life: Life,
  { text, grant }: KnownToken,
): Promise<string> {
  const { label, person } = grant;
  const checked = askingGate(grant, life, world.time.now);
  const result = await world.request(life, () => askUserinfo(life.rules, text));
  if (result === undefined) return `${FAILED}, for ${label}`;
  const { answer: username } = result;
  checked(username !== undefined);
  const isOwner = person === world.owner;
  if (username !== undefined && !isOwner)
    promise(username === person.username, `${label} is taken for ${username}`);
  return `${username === undefined ? "refused" : "admitted"}, ${label}`;
}

export const takeAccessBack: Action = async (world, step) => {
  const { random, time, grants, revocations } = world;
  const { app, person } = random.pick(grants) ?? {};
  if (app === undefined || person === undefined) return "without a grant";
  const { outcome, user } = await visit(world, step, person.sessions);
  if (user === undefined) return outcome;
  const isOfBoth = (one: { readonly app: KnownApp; readonly person: Person }): boolean =>
    one.app === app && one.person === person;
  const revocation = { app, person, until: Number.POSITIVE_INFINITY };
  revocations.push(revocation);
  const learn = grants.filter(isOfBoth).map((grant) => endingGrant(grant, time.now));
  const result = await world.request(step.life, () =>
    revokeAccess(step.life.rules, user, app.id, step.client),
  );
  for (const one of learn) one(result === undefined ? "unknown" : "ended");
  revocation.until = result === undefined ? Number.POSITIVE_INFINITY : time.now();
  return `${app.id}, ${result?.answer ?? FAILED}`;
};
