import type { LogEntry } from "../../src/db/records.ts";
import { signInWithPasskey } from "../../src/features/passkeys/sign-in-with-passkey.ts";
import { signIn } from "../../src/features/sign-in/sign-in.ts";
import { PARTY } from "../../test/support/authenticator.ts";
import { visitWithKey } from "./actions/keys.ts";
import { useLink } from "./actions/links.ts";
import { signInAs } from "./actions/members.ts";
import { isAdmission, nextNumber } from "./actions/step.ts";
import { LATE_MS } from "./faulty-store.ts";
import { finishApps } from "./finish-apps.ts";
import type { Life } from "./gate.ts";
import type { KnownSession } from "./model/sessions.ts";
import { promise } from "./model/violation.ts";
import type { World } from "./world.ts";

/** The longest pause between two attempts to end a session that a gate has signed out. */
const MAX_RETRY_MS = 31_000;
const EXPIRING_MS = 60_000;
/** More than a simulation makes. */
const MAX_ENTRIES = 100_000;

/** Lets the faults end, and checks that what was accepted is in effect on all gates. */
export async function finish(world: World): Promise<void> {
  const { time, gates } = world;
  world.isFaulty = false;
  for (const gate of gates) if (gate.life === undefined) gate.start();
  await time.pause(LATE_MS + MAX_RETRY_MS);
  const entries = await world.base.log.read({ afterId: 0, limit: MAX_ENTRIES });
  world.log.compare(entries, lives(world));
  await agreeOnSessions(world);
  await compareLinks(world, entries);
  for (const life of lives(world))
    for (const key of world.keys) await visitWithKey(world, life, key);
  await finishApps(world, lives(world));
  // Its limiters begin again.
  gates[0]?.crash();
  gates[0]?.start();
  const life = gates[0]?.life;
  if (life !== undefined) {
    await usePasskeys(world, life);
    await signInOnce(world, life);
  }
  await time.pause(MAX_RETRY_MS / 3);
  for (const { levels } of lives(world))
    promise(levels.countWaitingEntries() === 0, "an entry of the audit log is not written");
  await world.check();
}

const lives = ({ gates }: World): readonly Life[] => gates.flatMap(({ life }) => life ?? []);

/** Whether it has expired by the clocks of some gates only, or expires while they are asked. */
function isExpiring({ expiresAt }: KnownSession, world: World): boolean {
  const times = lives(world).map((life) => life.now());
  return (
    expiresAt > Math.min(...times) - EXPIRING_MS && expiresAt < Math.max(...times) + EXPIRING_MS
  );
}

async function agreeOnSessions(world: World): Promise<void> {
  const all = [world, ...world.members].flatMap(({ sessions }) =>
    sessions.all.map((session) => ({ session, sessions })),
  );
  for (const { session, sessions } of all) {
    if (isExpiring(session, world)) continue;
    const isSignedOut = lives(world).some((life) => session.refusedBy.has(life));
    const outcomes = new Set<boolean>();
    for (const life of lives(world)) {
      const checked = sessions.asking(session, life);
      const cookies = `session=${session.token}`;
      const result = await world.request(life, () => life.rules.authenticate(cookies));
      const isAdmitted = isAdmission(String(result?.answer.kind));
      checked(isAdmitted);
      promise(!(isAdmitted && isSignedOut), `${session.label} was signed out, and is admitted`);
      outcomes.add(isAdmitted);
    }
    promise(outcomes.size === 1, `the gates do not agree on ${session.label}`);
  }
}

/** One address for each, because of the rate limit. */
const addressOf = (index: number) => ({ remoteAddress: `198.51.100.${index}` });

/** The entries and the accounts of each link; it counts at most once more, whichever gate is asked. */
async function compareLinks(world: World, entries: readonly LogEntry[]): Promise<void> {
  const { links, members, base } = world;
  const users = await base.users.read("", MAX_ENTRIES);
  const client = { remoteAddress: "", userAgent: "the end" };
  for (const link of links) {
    const { id, label, uses, revocation } = link;
    const own = entries.filter(({ subject }) => subject?.startsWith(id)).map(({ type }) => type);
    const expected = revocation === "accepted" ? "link_make,link_revoke" : "link_make";
    promise(own.join().startsWith(expected), `the log has ${own} instead of ${expected}`);
    const made = users.filter(({ username }) => `${username} `.startsWith(`${label} `)).length;
    promise(made <= uses - Number(revocation === "accepted"), `${label} makes ${made} accounts`);
    for (const life of lives(world)) await useLink(world, { life, client }, link);
  }
  for (const member of members)
    if (member.passwords.length > 1)
      for (const life of lives(world)) {
        const remoteAddress = `198.51.101.${nextNumber(world)}`;
        await signInAs(world, { life, client: { ...client, remoteAddress } }, member);
      }
}

async function usePasskeys(world: World, life: Life): Promise<void> {
  const { rules } = life;
  for (const [index, { authenticator, userId, state }] of world.passkeys.entries()) {
    const answer = authenticator.get(rules.challenges.issue("sign-in"), userId);
    const result = await world.request(life, () =>
      signInWithPasskey(rules, answer, PARTY, addressOf(index)),
    );
    const kind = result?.answer.kind;
    const expected = { added: "signed-in", absent: "rejected" };
    if (state.value !== undefined)
      promise(kind === expected[state.value], `a passkey that is ${state.value} is ${kind}`);
  }
}

/** One of the possible passwords is the right one, with a code that was never used. */
async function signInOnce(world: World, life: Life): Promise<void> {
  const { value } = world.codes;
  const possible = world.passwords.possible();
  if (value === undefined || possible.length === 0) return;
  const code = value === "off" ? "" : (value.recoveryCodes.at(-1) ?? "");
  const accepted: string[] = [];
  for (const [index, password] of possible.entries()) {
    const attempt = { username: password.split("/")[0] ?? "", password, code, ...addressOf(index) };
    const enter = () => world.request(life, () => signIn(life.rules, attempt));
    if ((await enter())?.answer.kind !== "signed-in") continue;
    accepted.push(password);
    const kind = (await enter())?.answer.kind;
    promise(kind === (code === "" ? "signed-in" : "rejected"), `a second sign-in is ${kind}`);
  }
  promise(accepted.length === 1, `${accepted.length} of ${possible.length} passwords are accepted`);
}
