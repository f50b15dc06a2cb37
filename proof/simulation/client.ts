import type { User } from "../../src/core/records.ts";
import type { Gate, Life } from "./gate.ts";
import type { KnownSession } from "./session-model.ts";
import { promise } from "./violation.ts";
import type { World } from "./world.ts";

/** A person at a browser, who does one thing after another. */
export interface Client {
  readonly name: string;
  act(): Promise<void>;
}

/** One request: where it goes and from which address. */
interface Step {
  readonly gate: Gate;
  readonly life: Life;
  readonly address: string;
}

const ADDRESSES = 6;

type Action = (world: World, step: Step) => Promise<string>;

const actions: readonly (readonly [name: string, weight: number, action: Action])[] = [
  ["visits", 10, async (world, step) => (await visit(world, step)).outcome],
  ["signs in", 8, signIn],
  ["sets up", 1, setUp],
  ["changes the password", 4, changePassword],
  ["ends a session", 3, endSession],
  ["ends all others", 2, endOthers],
  ["signs out", 2, signOut],
];
const totalWeight = actions.reduce((sum, [, weight]) => sum + weight, 0);

export function createClient(world: World, name: string): Client {
  return {
    name,
    async act() {
      const { random } = world;
      const gate = random.pick(world.gates);
      if (gate?.life === undefined) return;
      const address = `192.0.2.${random.below(ADDRESSES)}`;
      let at = random.below(totalWeight);
      const chosen = actions.find(([, weight]) => {
        at -= weight;
        return at < 0;
      });
      if (chosen === undefined) return;
      const [what, , action] =
        world.isConfigured || random.chance(0.5) ? chosen : (["sets up", 0, setUp] as const);
      const outcome = await action(world, { gate, life: gate.life, address });
      world.note(`${name} ${what} at ${gate.name}: ${outcome}`);
    },
  };
}

const FAILED = "no answer";

async function setUp(world: World, { life, address }: Step): Promise<string> {
  const username = `owner ${nextNumber(world)}`;
  const password = `${username}/first`;
  const learn = world.passwords.settingUp(password);
  const from = world.time.now();
  const form = { token: "", username, password, confirm: password, domain: "" };
  const result = await world.request(life, () =>
    life.rules.setUp(form, { remoteAddress: address }),
  );
  if (result === undefined) return FAILED;
  const { answer } = result;
  learn(answer.kind === "set-up");
  if (answer.kind !== "set-up") {
    promise(answer.kind === "already-configured", `a setup is refused: ${answer.kind}`);
    world.isConfigured = true;
    return answer.kind;
  }
  promise(world.setUps === 0, "two setups are accepted");
  world.setUps += 1;
  world.isConfigured = true;
  const { label } = world.sessions.started({ token: answer.token.text, id: answer.token.id, from });
  return `${answer.kind}, ${label}`;
}

async function signIn(world: World, { life, address }: Step): Promise<string> {
  const { random, passwords } = world;
  const possible = passwords.possible();
  const right = random.pick(possible) ?? "owner/none yet";
  const password = random.chance(0.2) ? "a wrong password" : right;
  const wasConfigured = world.isConfigured;
  const from = world.time.now();
  const counted = world.attempts.begin(life, address);
  const attempt = { username: usernameOf(right), password, remoteAddress: address };
  const result = await world.request(life, () => life.rules.signIn(attempt));
  if (result === undefined) return FAILED;
  const { answer } = result;
  if (answer.kind === "needs-setup") {
    counted(undefined);
    promise(!wasConfigured, "the account that exists is not found");
    return answer.kind;
  }
  world.isConfigured = true;
  counted(answer.kind === "rate-limited" ? "denied" : "counted");
  if (answer.kind === "rejected") {
    const isCertain = possible.length === 1 && passwords.possible().length === 1;
    promise(
      !(isCertain && possible.includes(password) && passwords.possible().includes(password)),
      "the password is rejected",
    );
  }
  if (answer.kind !== "signed-in") return answer.kind;
  promise(possible.includes(password), "a wrong password is accepted");
  const { label } = world.sessions.started({ token: answer.token.text, id: answer.token.id, from });
  return `${answer.kind}, ${label}`;
}

interface Visit {
  readonly outcome: string;
  readonly session: KnownSession | undefined;
  /** If the guard has admitted the request. */
  readonly user?: User;
}

/** A guarded request with any session that there ever was, the newest more often. */
async function visit(world: World, { life }: Step): Promise<Visit> {
  const { random, sessions } = world;
  const { all } = sessions;
  const session = all[Math.floor(all.length * (1 - random.next() ** 2 * 0.999))];
  if (session === undefined) return { outcome: "without a session", session };
  const checked = sessions.asking(session, life);
  const result = await world.request(life, () =>
    life.rules.requireAuth(`session=${session.token}`),
  );
  if (result === undefined) return { outcome: FAILED, session };
  const { answer } = result;
  promise(answer.kind !== "needs-setup", "the account of a session is not found");
  checked(answer.kind === "admitted");
  const outcome = `${answer.kind} with ${session.label}`;
  return answer.kind === "admitted"
    ? { outcome, session, user: answer.user }
    : { outcome, session };
}

async function changePassword(world: World, step: Step): Promise<string> {
  const { outcome, user } = await visit(world, step);
  if (user === undefined) return outcome;
  const { passwords, random } = world;
  const possible = passwords.possible();
  const currentPassword = random.pick(possible) ?? "";
  const next = `${usernameOf(currentPassword)}/${nextNumber(world)}`;
  const learn = passwords.changing(currentPassword, next);
  const form = { currentPassword, newPassword: next, confirmPassword: next };
  const result = await world.request(step.life, () =>
    step.life.rules.changePassword(user.id, form, { remoteAddress: step.address }),
  );
  if (result === undefined) return FAILED;
  const { kind } = result.answer;
  if (kind === "changed")
    promise(!passwords.isReplaced(currentPassword), "a change of the password is lost");
  learn(kind === "changed");
  promise(
    kind === "changed" || kind === "current-password-incorrect",
    `the password is not changed: ${kind}`,
  );
  return kind;
}

async function endSession(world: World, step: Step): Promise<string> {
  const target = world.random.pick(world.sessions.all);
  const { outcome, user } = await visit(world, step);
  if (user === undefined || target === undefined) return outcome;
  const learn = world.sessions.ending(target, step.life);
  const result = await world.request(step.life, async () =>
    step.life.rules.sessions?.end(user, target.id, { remoteAddress: step.address }),
  );
  if (result === undefined) return `${FAILED}, for ${target.label}`;
  learn(result.answer === "ended" ? "ended" : "unchanged");
  return `${result.answer}, ${target.label}`;
}

async function endOthers(world: World, step: Step): Promise<string> {
  const { outcome, user, session } = await visit(world, step);
  if (user === undefined || session === undefined) return outcome;
  const { ended: hadEnded } = session;
  const from = world.time.now();
  const learn = world.sessions.endingAll(step.life);
  const result = await world.request(step.life, async () =>
    step.life.rules.sessions?.endOthers(user, session.token, { remoteAddress: step.address }),
  );
  if (result === undefined) return FAILED;
  const token = result.answer;
  learn("ended");
  promise(
    token === undefined || hadEnded === undefined,
    `${session.label} has ended, and continues`,
  );
  if (token === undefined) return "all ended";
  const { label } = world.sessions.started({ token: token.text, id: token.id, from });
  return `ended, and ${session.label} continues as ${label}`;
}

async function signOut(world: World, step: Step): Promise<string> {
  const session = world.random.pick(world.sessions.all);
  if (session === undefined) return "without a session";
  const learn = world.sessions.ending(session, step.life);
  const result = await world.request(step.life, () =>
    step.life.rules.signOut([session.token], { remoteAddress: step.address }),
  );
  if (result === undefined) return `${FAILED}, for ${session.label}`;
  if (result.answer === "not-ended") session.refusedBy.add(step.life);
  else learn("ended");
  return `${result.answer}, ${session.label}`;
}

function nextNumber(world: World): number {
  world.numbers += 1;
  return world.numbers;
}

/** A password begins with the username, since it is not known which of several setups is the first. */
const usernameOf = (password: string): string => password.split("/")[0] ?? "";
