import { OWNER } from "../../../test/support/gate.ts";
import { changePassword, guarded, isChanged, isSignedIn, type Site, signIn } from "../visits.ts";
import type { History } from "./history.ts";

const SIGN_IN = { type: "signin", summary: `Signed in as ${OWNER.username}` } as const;
const CHANGE = { type: "password_change", summary: "Changed password" } as const;
const DENIED = "/login?error=1";

/** Everybody who comes to one gate, until it is gone. */
export interface Crowd {
  /** Resolves once nobody waits for an answer any more. */
  readonly over: Promise<void>;
}

/** Goes on until the gate does not answer: `undefined` stands for that. */
async function untilGone(visit: () => Promise<unknown>): Promise<void> {
  while ((await visit()) !== undefined);
}

export function startCrowd(site: Site, history: History, next: () => string): Crowd {
  const visits = [
    () => change(site, history),
    () => enter(site, history, next()),
    () => enter(site, history, next()),
    pestOf(site, history, next()),
    () => look(site, history),
    () => leave(site, history),
  ];
  return { over: Promise.all(visits.map(untilGone)).then(() => undefined) };
}

let changes = 0;

async function change(site: Site, history: History): Promise<unknown> {
  const from = history.password.acknowledged;
  changes += 1;
  const to = `password number ${changes}`;
  history.changing(to);
  const [session = ""] = history.sessions;
  const answer = await history.done(
    CHANGE,
    () => changePassword(site, session, from, to),
    isChanged,
  );
  if (answer === undefined) return undefined;
  if (isChanged(answer)) history.inForce(to);
  else history.problem(`a password change was answered ${answer.status}`);
  return answer;
}

/** With a password that may just be replaced: then, and only then, it may be refused. */
async function enter(site: Site, history: History, address: string): Promise<unknown> {
  const before = history.password;
  const password = before.acknowledged;
  const answer = await history.done(SIGN_IN, () => signIn(site, password, address), isSignedIn);
  if (answer === undefined) return undefined;
  if (answer.session !== undefined) history.signedIn(answer.session);
  else if (before === history.password && before.inFlight === undefined) {
    history.problem(`a sign-in with the right password was answered ${answer.status}`);
  }
  return answer;
}

/** After five attempts it is denied, and every further one has an entry of its own. */
function pestOf(site: Site, history: History, address: string): () => Promise<unknown> {
  let attempts = 0;
  const told = { type: "signin_rate_limited", summary: `Rate limited login from ${address}` };
  return async () => {
    attempts += 1;
    const isDenied = attempts > 5;
    return history.done(
      told,
      () => signIn(site, "wrong", address),
      ({ location }) => isDenied && location === DENIED,
    );
  };
}

async function look(site: Site, history: History): Promise<unknown> {
  const session = history.sessions.at(-1) ?? "";
  try {
    const { status } = await guarded(site, session);
    if (status !== 200) history.problem(`a guard answered ${status} to a session that counts`);
    return status;
  } catch {
    return undefined;
  }
}

async function leave(site: Site, history: History): Promise<unknown> {
  try {
    const { location, cookies } = await site.send("/logout", { method: "POST" });
    const cleared = cookies.some((cookie) => cookie.startsWith("session=;"));
    if (location !== "/login" || !cleared) history.problem("a sign-out did not clear the cookie");
    return location ?? "";
  } catch {
    return undefined;
  }
}

/** After a start: who is let in, and that setup is closed. Sign-ins that succeed are told of, too. */
export async function checkAfterStart(
  site: Site,
  history: History,
  next: () => string,
): Promise<ReadonlySet<string>> {
  const { acknowledged, inFlight } = history.password;
  const opening = new Set<string>();
  for (const password of new Set([acknowledged, inFlight, history.replaced])) {
    if (password === undefined) continue;
    const ask = () => signIn(site, password, next());
    const answer = await history.done(SIGN_IN, ask, isSignedIn);
    if (answer !== undefined && isSignedIn(answer)) opening.add(password);
  }
  for (const session of sampleOf(history.sessions)) {
    const { status } = await guarded(site, session);
    if (status !== 200) history.problem(`a session from before a kill is answered ${status}`);
  }
  const form = { username: "second", password: "second", confirm: "second" };
  const { location, session } = await site.send("/setup", { form });
  if (location !== "/login" || session !== undefined) history.problem("setup is open again");
  return opening;
}

/** The first, the last, and one in between. */
const sampleOf = (sessions: readonly string[]): readonly string[] =>
  [0, Math.floor(Math.random() * sessions.length), sessions.length - 1].flatMap(
    (place) => sessions[place] ?? [],
  );
