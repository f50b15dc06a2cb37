import { toLogEntry } from "../../../src/audit/event-log.ts";
import { attributeToOperator, type NewAuditEvent } from "../../../src/audit/events.ts";
import type { LinkPurpose } from "../../../src/db/records.ts";
import { makeLink, revokeLink } from "../../../src/features/links/make-link.ts";
import { type LinkForm, useLink as use } from "../../../src/features/links/use-link.ts";
import { LATE_MS } from "../faulty-store.ts";
import { type Life, START } from "../gate.ts";
import type { KnownLink } from "../model/known.ts";
import { cannotHaveEnded, createMember, mustHaveEnded } from "../model/member.ts";
import { promise } from "../model/violation.ts";
import type { World } from "../world.ts";
import { COMMAND, GROUPS, groupsOf, idOf, settingPassword, someEnd } from "./members.ts";
import { usernameOf } from "./passwords.ts";
import { type Action, FAILED, nextNumber, type Step } from "./step.ts";

const PURPOSES: readonly LinkPurpose[] = ["guest", "invite", "reset", "reset-codes-off"];
const LATER = Date.UTC(2040, 0, 1);
/** How often two clients use a link at once. */
const AT_ONCE = 0.5;
/** How often an invited person chooses the name of the first account. */
const TAKEN = 0.3;

function portsOf({ operator: { users, links, apps, log, profiles }, time }: World) {
  if (links === undefined) throw new Error("the simulated store keeps no links");
  const clock = { now: () => Math.floor(START + time.now()) };
  const record = (event: NewAuditEvent) =>
    log.insert([toLogEntry(attributeToOperator(event), clock)]);
  return { store: { users, links, apps, profiles }, clock, record };
}

export const makeAnyLink: Action = async (world) => {
  const { random, members, isConfigured } = world;
  if (!isConfigured) return "not now";
  const wanted = random.pick(PURPOSES) ?? "guest";
  // Most of those who lose a password have a code too.
  const those = random.chance(0.5) ? members.filter((one) => one.enrolments.length > 0) : [];
  const member = wanted.startsWith("reset")
    ? (random.pick(those) ?? random.pick(members))
    : undefined;
  const isReset = member !== undefined;
  const purpose = wanted.startsWith("reset") && !isReset ? "invite" : wanted;
  const label = `link ${nextNumber(world)}`;
  const groups = purpose === "guest" ? "guests" : (random.pick(GROUPS) ?? "");
  const endsAt = purpose === "invite" ? someEnd(world) : Number.POSITIVE_INFINITY;
  const expiresAt = Math.min(someEnd(world), LATER);
  const uses = purpose === "guest" ? 1 + random.below(2) : 1;
  const isSettled = member?.password.value !== undefined;
  const passwordVersion = isSettled ? member.password.version : undefined;
  const result = await world.request(COMMAND, async () =>
    makeLink(portsOf(world), {
      ...{ purpose, usesLeft: uses, expiresAt: new Date(expiresAt), groups: groupsOf(groups) },
      ...(purpose === "guest" && { name: label }),
      ...(Number.isFinite(endsAt) && { endsAt: new Date(endsAt) }),
      ...(member !== undefined && { userId: await idOf(world, member.username) }),
    }),
  );
  // If the answer is lost, the token is lost too.
  if (result === undefined) return FAILED;
  const { answer } = result;
  promise(answer.kind === "made" || isReset, `${label} is not made: ${answer.kind}`);
  if (answer.kind !== "made") return `${answer.kind}, ${purpose} of ${member?.username}`;
  const { link, token } = answer;
  const facts = { label, id: link.id, token, purpose, member, groups, endsAt, expiresAt, uses };
  const unused = { accepted: 0, doubts: 0, revocation: "none", isReplaced: false } as const;
  world.links.push({ ...facts, ...unused, passwordVersion });
  return `${label}, ${purpose} of ${member?.username ?? groups}`;
};

export const revokeAnyLink: Action = async (world) => {
  const link = world.random.pick(world.links);
  if (link === undefined) return "without a link";
  if (link.revocation === "none") link.revocation = "perhaps";
  const result = await world.request(COMMAND, () => revokeLink(portsOf(world), link.id));
  if (result?.answer === "revoked") link.revocation = "accepted";
  checkUses(link);
  return `${link.label}, ${result?.answer ?? FAILED}`;
};

/** What is revoked had a use left. */
function checkUses({ label, uses, accepted, revocation }: KnownLink): void {
  promise(accepted <= uses, `${label} is used more often than it may be`);
  promise(accepted < uses || revocation !== "accepted", `${label} is used up, and revoked`);
}

export const useAnyLink: Action = async (world, step) => {
  const { random, gates, links } = world;
  const link = random.pick(links);
  if (link === undefined) return makeAnyLink(world, step);
  const other = random.chance(AT_ONCE) ? random.pick(gates)?.life : undefined;
  const lives = other === undefined ? [step.life] : [step.life, other];
  const kinds = await Promise.all(lives.map((life) => useLink(world, { ...step, life }, link)));
  return `${link.label}: ${kinds.join(" and ")}`;
};

/** From an address of its own, so that none is limited. */
export async function useLink(
  world: World,
  { life, client: { userAgent = "" } }: Omit<Step, "gate">,
  link: KnownLink,
): Promise<string> {
  const { rules } = life;
  const number = nextNumber(world);
  const isTaken = world.setUps > 0 && world.random.chance(TAKEN);
  const owner = usernameOf(world.passwords.possible()[0] ?? "");
  const username = isTaken ? owner : `${link.label} by ${number}`;
  const password = link.member ? `password ${number}` : `password of ${username}`;
  const form = { username, password, confirm: password };
  const checked = expecting(world, link, life);
  const learn = link.member ? resetting(world, link, form, life) : entering(world, link, form);
  const client = { remoteAddress: `2001:db8:${number.toString(16)}::1`, userAgent };
  link.doubts += 1;
  const result = await world.request(life, () => use(rules, link.token, form, client));
  learn(result?.answer);
  if (result === undefined) return FAILED;
  link.doubts -= 1;
  const { answer } = result;
  const isAccepted = answer.kind === "entered" || answer.kind === "password-reset";
  if (isAccepted) {
    link.accepted += 1;
    const type = answer.kind === "entered" ? "link_use" : "password_reset";
    world.log.accepted(type, { life, client });
  }
  checkUses(link);
  checked(answer.kind === "gone");
  const isRejected = isTaken && link.purpose === "invite";
  promise(isRejected || answer.kind !== "rejected", `${link.label} rejects a name that is free`);
  promise(!(isRejected && isAccepted), `${link.label} accepts a name that is taken`);
  return answer.kind;
}

/** A use begins. Returns a function that checks whether the link may be gone. */
function expecting({ time }: World, link: KnownLink, life: Life): (isGone: boolean) => void {
  const { label, member, uses } = link;
  // An invitation also ends with the account that it would make.
  const end = Math.min(link.expiresAt, link.endsAt);
  const from = time.now();
  const version = member?.state.version;
  const isAbsent = member?.state.value === "absent";
  const wasPresent = member === undefined || member.state.value === "present";
  const isUsedUp = link.accepted >= uses || link.isReplaced;
  const isClosed = isUsedUp || link.revocation === "accepted" || isAbsent;
  // Another use may have replaced it. This one changes the version once.
  const isLatest = link.passwordVersion === member?.password.version;
  const passwordVersion = member && member.password.version + 1;
  const isOver = life.now() >= end || (member !== undefined && mustHaveEnded(member, life));
  return (isGone) => {
    promise(isGone || !isClosed, `${label} is used up, revoked or without account, and is used`);
    const isSteady = life.clockSetAt() < from;
    promise(isGone || !(isOver && isSteady), `${label} or its account has ended, and it is used`);
    const isOpen =
      wasPresent &&
      version === member?.state.version &&
      isLatest &&
      passwordVersion === member?.password.version &&
      (member === undefined || cannotHaveEnded(member, life, from)) &&
      life.now() < end &&
      isSteady &&
      link.accepted + link.doubts < uses &&
      link.revocation === "none";
    promise(!(isGone && isOpen), `${label} can be used, and is gone`);
  };
}

type Answer = Awaited<ReturnType<typeof use>> | undefined;

/**
 * A reset sets the password, ends all sessions and the other links of the member, and turns codes off
 * only if the link says so.
 */
function resetting(world: World, link: KnownLink, { password }: LinkForm, life: Life) {
  const { member, purpose } = link;
  const learnPassword = member && settingPassword(world, member, password, link);
  const learnEnd = member?.sessions.endingAll(life);
  const learnCodes = purpose === "reset-codes-off" ? member?.codes.changing() : undefined;
  return (answer: Answer): void => {
    const isReset = answer?.kind === "password-reset";
    learnPassword?.(answer && (isReset ? { to: password } : "unchanged"));
    learnEnd?.(answer === undefined ? "unknown" : isReset ? "ended" : "unchanged");
    learnCodes?.(answer && (isReset ? { to: "off" } : "unchanged"));
  };
}

/** A guest, who does nothing else, or a new member. */
function entering(world: World, { purpose, label, groups, endsAt }: KnownLink, form: LinkForm) {
  const { time, members } = world;
  const { username } = form;
  const made = createMember({ username, groups, endsAt }, time.now, LATE_MS);
  const learn = made.state.changing();
  const from = time.now();
  return (answer: Answer): void => {
    const isEntered = answer?.kind === "entered";
    learn(answer && (isEntered ? { to: "present" } : "unchanged"));
    if (isEntered) {
      const { guest = false, groups: given = [] } = answer.user;
      promise(
        guest === (purpose === "guest"),
        `${label} makes a guest of a member, or the reverse`,
      );
      promise(given.join() === groups, `${label} puts its account in "${given}" not "${groups}"`);
    }
    if (purpose === "guest" || !username.startsWith(label)) return;
    if (isEntered || answer === undefined) members.push(made);
    if (!isEntered) return;
    promise(answer.user.username === username, `${label} makes ${answer.user.username}`);
    const expiresAt = Math.min(answer.token.expiresAt, endsAt);
    made.sessions.started({ ...answer.token, expiresAt }, from);
  };
}
