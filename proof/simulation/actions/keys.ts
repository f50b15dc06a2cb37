import { addKey, revokeKey } from "../../../src/features/keys/manage-keys.ts";
import { NO_CACHE } from "../../../src/identity/credential-cache.ts";
import { LATE_MS } from "../faulty-store.ts";
import type { Life } from "../gate.ts";
import { createFact } from "../model/fact.ts";
import type { KnownKey } from "../model/known.ts";
import { cannotHaveEnded, mustHaveEnded } from "../model/member.ts";
import { BOUND_MS } from "../model/sessions.ts";
import { promise } from "../model/violation.ts";
import type { World } from "../world.ts";
import { COMMAND } from "./members.ts";
import { type Action, FAILED, nextNumber } from "./step.ts";

function portsOf({ operator: { users, keys }, time }: World) {
  if (keys === undefined) throw new Error("the simulated store keeps no keys");
  return {
    store: { users, keys },
    clock: time,
    credentialCache: NO_CACHE,
    record: async () => {},
  };
}

export const addKeyOfMember: Action = async (world) => {
  const member = world.random.pick(world.members);
  if (member === undefined) return "without a member";
  const ports = portsOf(world);
  const result = await world.request(COMMAND, async () => {
    const user = await ports.store.users.findByName(member.username);
    return user && addKey(ports, user, { name: "a program", lifetime: "never" });
  });
  // If the answer is lost, the text of the key is lost too.
  if (result?.answer?.kind !== "added") return `none for ${member.username}`;
  const { key, text } = result.answer;
  const label = `key ${world.keys.length + 1}`;
  const state = createFact<"added" | "revoked">("added", world.time.now, LATE_MS);
  world.keys.push({ label, id: key.id, text, member, state });
  return `${label} of ${member.username}`;
};

export const revokeAnyKey: Action = async (world) => {
  const key = world.random.pick(world.keys);
  if (key === undefined) return "without a key";
  const learn = key.state.changing();
  const result = await world.request(COMMAND, () => revokeKey(portsOf(world), key.id));
  // Without an owner, it was revoked before or its account was removed: it is revoked either way.
  learn(result && { to: "revoked" });
  return `${key.label}, ${result === undefined ? FAILED : "revoked"}`;
};

export const visitWithAnyKey: Action = async (world, { life }) => {
  const key = world.random.pick(world.keys);
  return key === undefined ? "without a key" : visitWithKey(world, life, key);
};

/** A guarded request of a program. Each has its own address, so that none is limited. */
export async function visitWithKey(world: World, life: Life, key: KnownKey): Promise<string> {
  const { label, text, member, state } = key;
  const facts = [state, member.state];
  const versions = facts.map(({ version }) => version);
  const isGone = (fact: KnownKey["state"] | KnownKey["member"]["state"]): boolean =>
    (fact.value === "revoked" || fact.value === "absent") && life.since(fact.since) > BOUND_MS;
  const mustRefuse = facts.some(isGone);
  const hasEnded = mustHaveEnded(member, life);
  const from = world.time.now();
  const wasValid = state.value === "added" && member.state.value === "present";
  const address = `2001:db8:${nextNumber(world).toString(16)}::1`;
  const asking = { host: () => undefined, address: () => address };
  const result = await world.request(life, async () =>
    life.authenticateKey?.(`Bearer ${text}`, asking),
  );
  if (result === undefined) return `${FAILED}, for ${label}`;
  const { answer } = result;
  const isAdmitted = answer?.kind === "key-admitted";
  const isStillValid =
    wasValid &&
    cannotHaveEnded(member, life, from) &&
    facts.every(({ version }, at) => version === versions[at]);
  promise(!(isAdmitted && mustRefuse), `${label} was revoked or has no account, and is admitted`);
  const isSure = hasEnded && life.clockSetAt() < from;
  promise(!(isAdmitted && isSure), `the account of ${label} has ended, and is admitted`);
  promise(isAdmitted || !isStillValid, `${label} is valid, and is refused`);
  if (isAdmitted)
    promise(answer.user.username === member.username, `${label} is taken for another account`);
  return `${answer?.kind}, ${label}`;
}
