import { OWNER } from "../../../test/support/gate.ts";
import { changePassword, guarded, isChanged, isSignedIn, type Site, signIn } from "../actions.ts";
import type { History } from "./history.ts";

const SIGN_IN = { type: "signin", summary: `Signed in as ${OWNER.username}` } as const;
const CHANGE = { type: "password_change", summary: "Changed password" } as const;
const DENIED = "/login?error=1";

/** The clients of one gate, which run until it is killed. */
export interface RunningClients {
  /** Resolves when no client waits for a response. */
  readonly over: Promise<void>;
}

/** Repeats an action until it returns `undefined`, which means that the gate has ended. */
async function repeatUntilKilled(action: () => Promise<unknown>): Promise<void> {
  while ((await action()) !== undefined);
}

export function startClients(site: Site, history: History, next: () => string): RunningClients {
  const clients = [
    () => changeOnce(site, history),
    () => signInOnce(site, history, next()),
    () => signInOnce(site, history, next()),
    rateLimitedClient(site, history, next()),
    () => checkGuard(site, history),
    () => signOut(site, history),
  ];
  return { over: Promise.all(clients.map(repeatUntilKilled)).then(() => undefined) };
}

let changes = 0;

async function changeOnce(site: Site, history: History): Promise<unknown> {
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
  if (isChanged(answer)) history.isCurrent(to);
  else history.problem(`a password change got status ${answer.status}`);
  return answer;
}

/** Signs in. A rejection is allowed only while a password change is in flight. */
async function signInOnce(site: Site, history: History, address: string): Promise<unknown> {
  const before = history.password;
  const password = before.acknowledged;
  const answer = await history.done(SIGN_IN, () => signIn(site, password, address), isSignedIn);
  if (answer === undefined) return undefined;
  if (answer.session !== undefined) history.signedIn(answer.session);
  else if (before === history.password && before.inFlight === undefined) {
    history.problem(`a sign-in with the right password got status ${answer.status}`);
  }
  return answer;
}

/** A client that exceeds the limit of five attempts. Each further attempt adds a log entry. */
function rateLimitedClient(site: Site, history: History, address: string): () => Promise<unknown> {
  let attempts = 0;
  const text = { type: "signin_rate_limited", summary: `Rate limited login from ${address}` };
  return async () => {
    attempts += 1;
    const isDenied = attempts > 5;
    return history.done(
      text,
      () => signIn(site, "wrong", address),
      ({ location }) => isDenied && location === DENIED,
    );
  };
}

async function checkGuard(site: Site, history: History): Promise<unknown> {
  const session = history.sessions.at(-1) ?? "";
  try {
    const { status } = await guarded(site, session);
    if (status !== 200) history.problem(`a guard answered a valid session with ${status}`);
    return status;
  } catch {
    return undefined;
  }
}

async function signOut(site: Site, history: History): Promise<unknown> {
  try {
    const { location, cookies } = await site.send("/logout", { method: "POST" });
    const cleared = cookies.some((cookie) => cookie.startsWith("session=;"));
    if (location !== "/login" || !cleared) history.problem("a sign-out did not clear the cookie");
    return location ?? "";
  } catch {
    return undefined;
  }
}

/** After a start: finds the passwords that work, and checks the sessions and the setup. */
export async function checkAfterStart(
  site: Site,
  history: History,
  next: () => string,
): Promise<ReadonlySet<string>> {
  const { acknowledged, inFlight } = history.password;
  const working = new Set<string>();
  for (const password of new Set([acknowledged, inFlight, history.replaced])) {
    if (password === undefined) continue;
    const ask = () => signIn(site, password, next());
    const answer = await history.done(SIGN_IN, ask, isSignedIn);
    if (answer !== undefined && isSignedIn(answer)) working.add(password);
  }
  for (const session of sampleOf(history.sessions)) {
    const { status } = await guarded(site, session);
    if (status !== 200) history.problem(`a session from before a kill gets status ${status}`);
  }
  const form = { username: "second", password: "second", confirm: "second" };
  const { location, session } = await site.send("/setup", { form });
  if (location !== "/login" || session !== undefined) history.problem("setup is open again");
  return working;
}

/** The first, the last, and one in between. */
const sampleOf = (sessions: readonly string[]): readonly string[] =>
  [0, Math.floor(Math.random() * sessions.length), sessions.length - 1].flatMap(
    (index) => sessions[index] ?? [],
  );
