import type { Contestant } from "./contestants.ts";
import { ask } from "./load.ts";
import { nameOf, PASSWORD } from "./peers/peer.ts";
import { cookiesIn, get, type SignIn, type Verdict } from "./wire.ts";

/** Checks that a contestant works. @throws if it does not */
export async function check(
  contestant: Contestant,
  port: number,
  cookies: readonly string[],
  addresses: Iterator<string>,
): Promise<void> {
  if (contestant.kind === "bare") return;
  const guarded = (cookie?: string): Promise<string> => ask(port, get(contestant.guarded, cookie));
  refuses(await guarded(), "a client without a session");
  refuses(await guarded(forged(cookies[0] ?? "")), "a forged session");
  for (const index of [0, 1]) admits(await guarded(cookies[index]), nameOf(index));
  if (contestant.signIn !== undefined) {
    await checkSignIn(contestant.signIn, port, guarded, addresses);
  }
}

/** What one guarded request sends and receives. */
export interface Exchange {
  readonly request: string;
  readonly response: string;
}

/**
 * Checks that a guarded page and the bare one differ only in the guard: requests of the same
 * length, and the same response.
 *
 * @throws if they differ
 */
export function checkSameWork(guarded: Exchange, bare: Exchange): void {
  const lengths = [guarded.request.length, bare.request.length];
  if (lengths[0] !== lengths[1]) throw new Error(`requests of ${lengths.join(" and ")} bytes`);
  const [one, other] = [guarded.response, bare.response].map((response) =>
    response.replace(/^date: .*\r\n/im, ""),
  );
  if (one !== other) throw new Error(`not the same work as the bare layer: ${one} ${other}`);
}

async function checkSignIn(
  signIn: SignIn,
  port: number,
  guarded: (cookie?: string) => Promise<string>,
  addresses: Iterator<string>,
): Promise<void> {
  const attempt = await signIn.attempts(port);
  const tried = (name: string, password: string): Promise<string> =>
    ask(port, attempt(name, password, String(addresses.next().value)));

  const right = await tried(nameOf(0), PASSWORD);
  expect(right, signIn.right, "the right password");
  admits(await guarded(cookiesIn(right)), nameOf(0));
  for (const [name, password] of [
    [nameOf(0), "wrong horse"],
    ["nobody", PASSWORD],
  ] as const) {
    const wrong = await tried(name, password);
    expect(wrong, signIn.wrong, `${name} with "${password}"`);
    refuses(await guarded(cookiesIn(wrong)), "a client with a wrong password");
  }
}

/** Changes one letter of the first cookie, so that no valid cookie is left. */
function forged(cookie: string): string {
  const [first = ""] = cookie.split("; ");
  const at = Math.floor((first.indexOf("=") + first.length) / 2);
  return `${first.slice(0, at)}${first[at] === "x" ? "y" : "x"}${first.slice(at + 1)}`;
}

function admits(answer: string, name: string): void {
  if (!answer.startsWith("HTTP/1.1 200 ") || !answer.includes(name)) {
    throw new Error(`the session of ${name} is not accepted: ${beginning(answer)}`);
  }
}

function refuses(answer: string, who: string): void {
  if (!/^HTTP\/1\.1 (30[237]|401) /.test(answer) || answer.includes(nameOf(0))) {
    throw new Error(`${who} is not rejected: ${beginning(answer)}`);
  }
}

function expect(answer: string, { status, text }: Verdict, what: string): void {
  if (!answer.startsWith(`HTTP/1.1 ${status} `) || !answer.includes(text)) {
    throw new Error(`${what} gets: ${beginning(answer)}`);
  }
}

const beginning = (answer: string): string => answer.slice(0, 500);
