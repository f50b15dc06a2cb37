import { type Answer, headerOf } from "./answers.ts";
import { ask } from "./ask.ts";
import { isLoopback, type Target, type Workshop } from "./target.ts";
import { NoAnswer, type Place } from "./wire.ts";

/** The address cannot be attacked, and why, in one line. */
export class NoTarget extends Error {
  /** Whether the server is at fault, or what was asked for. */
  readonly fault: "server" | "usage";
  constructor(message: string, fault: "server" | "usage" = "server") {
    super(message);
    this.fault = fault;
  }
}

export interface Finding {
  readonly url: string;
  /** Further paths that nobody should reach without a session. */
  readonly guarded: readonly string[];
  readonly knownSecrets: readonly string[];
  readonly fresh: boolean;
  readonly workshop?: Workshop;
}

/** Looks whether a Latchkey answers at the address. */
export async function findTarget(finding: Finding): Promise<Target> {
  const { url, fresh, workshop } = finding;
  const place = placeOf(url);
  const base = new URL(url).pathname.replace(/\/+$/, "");
  const look = (path: string, method = "GET"): Promise<Answer> =>
    ask(place, { path: `${base}${path}`, method }).catch((error: unknown) => {
      throw error instanceof NoAnswer ? new NoTarget(`${url}: ${error.message}`) : error;
    });
  const [login, logout, setup] = [
    await look("/login"),
    await look("/logout"),
    await look("/setup"),
  ];
  const other = otherOrigin(login, url);
  if (other !== undefined) throw new NoTarget(`${url} leads to ${other}: attack that one`);
  if (!isLatchkey(login, logout)) throw new NoTarget(`${url} is no Latchkey`);
  const state = setup.status === 200 ? "unconfigured" : "configured";
  if (fresh && (state === "configured" || !isLoopback(place.host))) {
    const takes = "--fresh takes a server on this machine that has no account yet";
    throw new NoTarget(`${takes}, which ${url} is not`, "usage");
  }
  const { knownSecrets } = finding;
  const guarded = await guardedOf(finding.guarded, `${base}/`, place);
  const known = { url, place, base, state, guarded, knownSecrets, fresh, workshop } as const;
  return { ...known, account: undefined, attempts: 0, signal: undefined };
}

/** Where the sign-in itself is somewhere else: plain HTTP that leads to HTTPS, or an older name. */
function otherOrigin({ status, location }: Answer, url: string): string | undefined {
  if (status < 300 || status > 399 || !URL.canParse(location ?? "", url)) return undefined;
  const { origin } = new URL(location ?? "", url);
  return origin === new URL(url).origin ? undefined : origin;
}

/** Sign-out takes a POST and nothing else, and the sign-in page has a form with a password. */
function isLatchkey(login: Answer, logout: Answer): boolean {
  const page = login.status === 200 && /<input[^>]*name="?password/i.test(login.body);
  return page && logout.status === 405 && headerOf(logout, "allow") === "POST";
}

function placeOf(url: string): Place {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") throw new NoTarget(`${url} is no web address`);
  return {
    protocol,
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
  };
}

/** The paths that lead strangers to the sign-in. One that was named and does not is worth a word. */
async function guardedOf(
  named: readonly string[],
  home: string,
  place: Place,
): Promise<readonly string[]> {
  const guarded: string[] = [];
  for (const path of new Set([home, ...named])) {
    if (!path.startsWith("/")) throw new NoTarget("--guarded takes paths such as /app", "usage");
    const answer = await ask(place, { path, headers: { Accept: "text/html" } });
    if (leadsToTheDoor(answer)) guarded.push(path);
    else if (named.includes(path)) {
      throw new NoTarget(`${path} does not lead to the sign-in, so it is not guarded`, "usage");
    }
  }
  return guarded;
}

export const leadsToTheDoor = ({ status, location }: Answer): boolean =>
  status >= 300 && status < 400 && /\/(login|setup)(\?|$)/.test(location ?? "");
