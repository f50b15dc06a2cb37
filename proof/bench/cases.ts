import type { Contestant } from "./contestants.ts";
import type { Work } from "./measure.ts";
import { nameOf, PASSWORD } from "./peers/peer.ts";
import { get, type SignIn } from "./wire.ts";

export const titles = {
  warm: "A guarded page, one session",
  cold: "A guarded page, the first request of each session",
  many: "A guarded page, many sessions in turn",
  right: "Sign-in, the right password",
  wrong: "Sign-in, a wrong password",
  login: "The sign-in page",
  own: "The account page, signed in",
} as const;

export type Case = keyof typeof titles;

export const isSignIn = (name: Case): boolean => name === "right" || name === "wrong";

/** The requests of one case, and those that warm the server up for it, made for each measurement. */
export interface CaseWork {
  readonly name: Case;
  work(): Work;
  warmUp(): Work;
}

/** Enough that the server always has a request waiting. */
const CONNECTIONS = 32;
const SIGN_INS_AT_ONCE = 8;
/** More than a server can answer during one measurement, because an address has few attempts. */
const SIGN_INS = 1_000;

const page = { connections: CONNECTIONS, status: 200 } as const;

/** The cases of a contestant, in the order in which they have to run. */
export async function casesOf(
  contestant: Contestant,
  port: number,
  cookies: readonly string[],
  addresses: Iterator<string>,
): Promise<readonly CaseWork[]> {
  return [
    ...guardedCases(contestant, cookies),
    ...(await signInCases(contestant.signIn, port, addresses)),
    ...pageCases(contestant, cookies),
  ];
}

function guardedCases(
  { guarded, kind }: Contestant,
  cookies: readonly string[],
): readonly CaseWork[] {
  const [first = "", ...others] = cookies.map((cookie) => get(guarded, cookie));
  const warm = again("warm", [first]);
  if (others.length < 2) return [warm];
  const half = Math.ceil(others.length / 2);
  const [these, those] = [others.slice(0, half), others.slice(half)].map(
    (requests) => ({ ...page, requests, repeat: "once" }) satisfies Work,
  );
  const cold: readonly CaseWork[] =
    these && those ? [{ name: "cold", work: () => those, warmUp: () => these }] : [];
  // The one session first, like the bare layers, so that both are equally warm.
  return [warm, ...(kind === "latchkey" ? cold : []), again("many", [first, ...others])];
}

async function signInCases(
  signIn: SignIn | undefined,
  port: number,
  addresses: Iterator<string>,
): Promise<readonly CaseWork[]> {
  if (signIn === undefined) return [];
  const attempt = await signIn.attempts(port);
  const tries = (name: "right" | "wrong", password: string): CaseWork => {
    const work = (): Work => {
      const requests = Array.from({ length: SIGN_INS }, () =>
        attempt(nameOf(0), password, String(addresses.next().value)),
      );
      return { requests, repeat: "again", connections: SIGN_INS_AT_ONCE, ...signIn[name] };
    };
    return { name, work, warmUp: work };
  };
  return [tries("right", PASSWORD), tries("wrong", "wrong horse")];
}

function pageCases(
  { loginPage, ownPage }: Contestant,
  cookies: readonly string[],
): readonly CaseWork[] {
  return [
    ...(loginPage === undefined ? [] : [again("login", [get(loginPage)])]),
    ...(ownPage === undefined ? [] : [again("own", [get(ownPage, cookies[0])])]),
  ];
}

function again(name: Case, requests: readonly string[]): CaseWork {
  const work = (): Work => ({ ...page, requests, repeat: "again" });
  return { name, work, warmUp: work };
}
