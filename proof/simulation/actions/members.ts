import type { UserId } from "../../../src/db/records.ts";
import { addUser, removeUser, resetPassword } from "../../../src/features/people/accounts.ts";
import { setGroups } from "../../../src/features/people/set-groups.ts";
import { signIn } from "../../../src/features/sign-in/sign-in.ts";
import { NO_CACHE } from "../../../src/identity/credential-cache.ts";
import { LATE_MS } from "../faulty-store.ts";
import { fastPasswords, type Life, START } from "../gate.ts";
import type { Change } from "../model/fact.ts";
import type { KnownLink } from "../model/known.ts";
import { cannotHaveEnded, createMember, type Member, mustHaveEnded } from "../model/member.ts";
import { BOUND_MS } from "../model/sessions.ts";
import { promise } from "../model/violation.ts";
import type { World } from "../world.ts";
import { enterCode } from "./codes.ts";
import { type Action, FAILED, nextNumber, type Step, visit } from "./step.ts";

/** A command runs in a process of its own, which no gate's crash ends. */
export const COMMAND: Pick<Life, "crashed"> = { crashed: new Promise<never>(() => {}) };
const MAX_MEMBERS = 6;
/** How many accounts end, and after how long at most. */
const ENDING = 0.4;
const MAX_LIFE_MS = 60_000;
export const GROUPS: readonly string[] = ["", "admins", "family", "admins,family", "guests"];

const portsOf = ({ operator: store, time }: World) => ({
  store,
  passwords: fastPasswords,
  clock: time,
  credentialCache: NO_CACHE,
  record: async () => {},
  setupToken: { delete: async () => {} },
});

/** For some within the simulation, for most never. */
export const someEnd = ({ random, time }: World): number =>
  random.chance(ENDING)
    ? Math.floor(START + time.now() + random.next() * MAX_LIFE_MS)
    : Number.POSITIVE_INFINITY;

export const idOf = async (world: World, username: string): Promise<UserId> =>
  (await portsOf(world).store.users.findByName(username))?.id ?? ("" as UserId);

export const groupsOf = (text: string): readonly string[] => (text === "" ? [] : text.split(","));

export const addMember: Action = async (world) => {
  const { random, members, time } = world;
  if (members.length >= MAX_MEMBERS || !world.isConfigured) return "not now";
  const text = random.pick(GROUPS) ?? "";
  const username = `member ${members.length + 1}`;
  const endsAt = someEnd(world);
  const member = createMember({ username, groups: text, endsAt }, time.now, LATE_MS);
  members.push(member);
  const learn = member.state.changing();
  const ending = Number.isFinite(member.endsAt) && { endsAt: new Date(member.endsAt) };
  const given = { groups: groupsOf(text), ...ending };
  const [password] = member.passwords;
  const add = () => addUser(portsOf(world), username, password, given);
  const result = await world.request(COMMAND, add);
  promise(result === undefined || result.answer.kind === "added", `${username} is not added`);
  learn(result && { to: "present" });
  return `${username}, ${result?.answer.kind ?? FAILED}`;
};

export const regroupMember: Action = async (world) => {
  const member = world.random.pick(world.members);
  if (member === undefined) return "without a member";
  const text = world.random.pick(GROUPS) ?? "";
  const learn = member.groups.changing();
  const result = await world.request(COMMAND, async () =>
    setGroups(portsOf(world), await idOf(world, member.username), groupsOf(text)),
  );
  learn(result && (result.answer === "set" ? { to: text } : "unchanged"));
  return `${member.username} to ${JSON.stringify(text)}, ${result?.answer ?? FAILED}`;
};

/** A request begins that sets a password, which ends all links of the member. */
export function settingPassword(
  { links }: World,
  member: Member,
  password: string,
  used?: KnownLink,
): (change: Change<string>) => void {
  const ending = links.filter((link) => link.member === member && link !== used);
  member.passwords.push(password);
  const learn = member.password.changing();
  return (change) => {
    if (typeof change === "object") for (const link of ending) link.isReplaced = true;
    learn(change);
  };
}

export const setPasswordOfMember: Action = async (world) => {
  const member = world.random.pick(world.members);
  if (member === undefined) return "without a member";
  const password = `password ${nextNumber(world)}`;
  const learn = settingPassword(world, member, password);
  const result = await world.request(COMMAND, async () =>
    resetPassword(portsOf(world), await idOf(world, member.username), password),
  );
  learn(result && (result.answer === "reset" ? { to: password } : "unchanged"));
  return `${member.username}, ${result?.answer ?? FAILED}`;
};

export const removeMember: Action = async (world) => {
  const member = world.random.pick(world.members);
  if (member === undefined) return "without a member";
  const { state, sessions, username } = member;
  const { value, version } = state;
  const learn = state.changing();
  const learnEnd = sessions.endingAll();
  const result = await world.request(COMMAND, async () =>
    removeUser(portsOf(world), await idOf(world, username)),
  );
  const isGone = result?.answer === "removed";
  promise(result?.answer !== "last-user", "the first account is not found");
  promise(
    !(isGone && value === "absent" && version + 1 === state.version),
    "a removal is repeated",
  );
  learn(result && (isGone ? { to: "absent" } : "unchanged"));
  learnEnd(result === undefined ? "unknown" : isGone ? "ended" : "unchanged");
  return `${username}, ${result?.answer ?? FAILED}`;
};

export const signInAsMember: Action = async (world, step) => {
  const member = world.random.pick(world.members);
  return member === undefined ? "without a member" : signInAs(world, step, member);
};

export async function signInAs(
  world: World,
  { life, client }: Omit<Step, "gate">,
  member: Member,
): Promise<string> {
  const { username, state, codes } = member;
  const facts = [state, member.password, codes];
  const versions = facts.map(({ version }) => version);
  const isCertain = (): boolean => facts.every(({ version }, at) => version === versions[at]);
  const { value } = state;
  const current = member.password.value;
  const isWithoutCodes = codes.value === "off";
  const password = choosePassword(member, world);
  const code = enterCode(world, life, member);
  const from = world.time.now();
  const hasEnded = mustHaveEnded(member, life);
  const counted = world.attempts.begin(life, client.remoteAddress);
  const attempt = { username, password, code: code.text, ...client };
  const result = await world.request(life, () => signIn(life.rules, attempt));
  if (result === undefined) return FAILED;
  const { answer } = result;
  promise(answer.kind !== "needs-setup", "no account is found");
  counted(answer.kind === "rate-limited" ? "denied" : "counted");
  const isRight = value === "present" && password === current && isWithoutCodes;
  if (answer.kind === "rejected")
    promise(
      !(isCertain() && isRight && cannotHaveEnded(member, life, from)),
      `${username} exists, and is rejected`,
    );
  if (answer.kind !== "signed-in") return `${answer.kind}, ${username}`;
  world.log.accepted("signin", { life, client });
  promise(!(value === "absent" && isCertain()), `${username} was removed, and signs in`);
  const isReplaced = current !== undefined && current !== password;
  promise(!(isReplaced && isCertain()), `${username} signs in with a password that was replaced`);
  // The codes of an account go with it, while its sign-in goes on: to a session that counts nowhere.
  if (state.version === versions[0]) code.accepted();
  promise(
    !(hasEnded && life.clockSetAt() < from),
    `the account of ${username} has ended, and signs in`,
  );
  const expiresAt = Math.min(answer.token.expiresAt, member.endsAt);
  const { label } = member.sessions.started({ ...answer.token, expiresAt }, from);
  return `${answer.kind}, ${username} with ${label}`;
}

/** The current one, an earlier one, or one that another client may have set. */
function choosePassword({ password: { value }, passwords }: Member, { random }: World): string {
  const any = random.pick(passwords) ?? "";
  return random.chance(0.7) ? (value ?? any) : any;
}

/** What a gate passes on to the apps: who it is, and the groups. */
export const visitAsMember: Action = async (world, step) => {
  const member = world.random.pick(world.members);
  if (member === undefined) return "without a member";
  const { groups, username } = member;
  const { value, version } = groups;
  const isSettled = step.life.since(groups.since) > BOUND_MS;
  const { outcome, user } = await visit(world, step, member.sessions);
  if (user === undefined) return `${outcome}, ${username}`;
  promise(user.username === username, `${username} is taken for ${user.username}`);
  const shown = user.groups?.join() ?? "";
  const isCertain = value !== undefined && isSettled && version === groups.version;
  promise(!isCertain || shown === value, `${username} is in "${shown}" instead of "${value}"`);
  return `${outcome}, ${username} in "${shown}"`;
};
