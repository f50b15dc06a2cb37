import { addUser, removeUser } from "../../../src/core/accounts/accounts.ts";
import { setGroups } from "../../../src/core/accounts/set-groups.ts";
import type { UserId } from "../../../src/core/records.ts";
import { signIn } from "../../../src/core/sign-in/sign-in.ts";
import { LATE_MS } from "../faulty-store.ts";
import { fastPasswords, type Life, START } from "../gate.ts";
import { createFact } from "../model/fact.ts";
import { cannotHaveEnded, type Member, mustHaveEnded } from "../model/member.ts";
import { BOUND_MS, createSessionModel } from "../model/sessions.ts";
import { promise } from "../model/violation.ts";
import type { World } from "../world.ts";
import { type Action, FAILED, visit } from "./step.ts";

/** A command runs in a process of its own, which no gate's crash ends. */
export const COMMAND: Pick<Life, "crashed"> = { crashed: new Promise<never>(() => {}) };
const MAX_MEMBERS = 6;
/** How many accounts end, and after how long at most. */
const ENDING = 0.4;
const MAX_LIFE_MS = 60_000;
const GROUPS = ["", "admins", "family", "admins,family", "guests"];

const portsOf = ({ operator: store, time }: World) => ({
  store,
  passwords: fastPasswords,
  clock: time,
  record: async () => {},
  setupToken: { delete: async () => {} },
});

const idOf = async (world: World, username: string): Promise<UserId> =>
  (await portsOf(world).store.users.findByName(username))?.id ?? ("" as UserId);

const groupsOf = (text: string): readonly string[] => (text === "" ? [] : text.split(","));

export const addMember: Action = async (world) => {
  const { random, members, time } = world;
  if (members.length >= MAX_MEMBERS || !world.isConfigured) return "not now";
  const text = random.pick(GROUPS) ?? "";
  const username = `member ${members.length + 1}`;
  const member: Member = {
    username,
    password: `password of ${username}`,
    state: createFact<"absent" | "present">("absent", time.now, LATE_MS),
    groups: createFact(text, time.now, LATE_MS),
    sessions: createSessionModel(time.now, LATE_MS),
    endsAt: random.chance(ENDING)
      ? Math.floor(START + time.now() + random.next() * MAX_LIFE_MS)
      : Number.POSITIVE_INFINITY,
  };
  members.push(member);
  const learn = member.state.changing();
  const ending = Number.isFinite(member.endsAt) && { endsAt: new Date(member.endsAt) };
  const given = { groups: groupsOf(text), ...ending };
  const add = () => addUser(portsOf(world), username, member.password, given);
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

export const signInAsMember: Action = async (world, { life, client }) => {
  const member = world.random.pick(world.members);
  if (member === undefined) return "without a member";
  const { username, password, state } = member;
  const { value, version } = state;
  const from = world.time.now();
  const hasEnded = mustHaveEnded(member, life);
  const counted = world.attempts.begin(life, client.remoteAddress);
  const attempt = { username, password, code: "", ...client };
  const result = await world.request(life, () => signIn(life.rules, attempt));
  if (result === undefined) return FAILED;
  const { answer } = result;
  promise(answer.kind !== "needs-setup", "no account is found");
  counted(answer.kind === "rate-limited" ? "denied" : "counted");
  const isCertain = version === state.version;
  if (answer.kind === "rejected")
    promise(
      !(isCertain && value === "present" && cannotHaveEnded(member, life, from)),
      `${username} exists, and is rejected`,
    );
  if (answer.kind !== "signed-in") return `${answer.kind}, ${username}`;
  world.log.accepted("signin", { life, client });
  promise(!(isCertain && value === "absent"), `${username} was removed, and signs in`);
  promise(
    !(hasEnded && life.clockSetAt() < from),
    `the account of ${username} has ended, and signs in`,
  );
  const expiresAt = Math.min(answer.token.expiresAt, member.endsAt);
  const { label } = member.sessions.started({ ...answer.token, expiresAt }, from);
  return `${answer.kind}, ${username} with ${label}`;
};

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
