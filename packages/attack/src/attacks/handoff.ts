import { randomBytes } from "node:crypto";
import type { Attack, Tally } from "../attack.ts";
import { Skipped, Undecided } from "../errors.ts";
import type { Headers } from "../http/request.ts";
import { type HttpResponse, headerOf } from "../http/response.ts";
import { changedHosts } from "../payloads/changed-hosts.ts";
import { FOREIGN_HOST } from "../payloads/foreign-targets.ts";
import { type Account, isSignedIn, requireAccount, send, type Target } from "../target.ts";

const PATH = "/login/handoff";

export const handoff: Attack = {
  name: "handoff",
  about: "codes that bring a session to another domain, in other hands, hosts, browsers and gates",
  meaning: "An attacker gets a session of a user, or makes a user use the attacker's own account.",
  noun: "attempts",
  verb: "got through",
  needs: ["account", "server-access"],

  async run(target, tally) {
    const [host, other] = target.access?.handoffHosts ?? [];
    if (host === undefined || other === undefined)
      throw new Skipped("the server hands no session over to other domains");
    const account = await requireAccount(target);
    const visit: Visit = { target, account, tally };
    const session = await normally(visit, host);
    await atOtherHosts(visit, session, host, other);
    await byStrangers(visit, host);
    await elsewhere(visit, host, other);
    await bySetCookie(visit, host);
    await twice(visit, host);
    await toForeignHosts(visit, host);
    tally.tried();
    if (await isSignedIn(target, `session=${session}`))
      tally.gotThrough("a session of another host is accepted by the sign-in");
  },
};

/** A server, and an account that is signed in there. */
export interface Signed {
  readonly target: Target;
  readonly account: Pick<Account, "token">;
}

interface Visit extends Signed {
  readonly tally: Tally;
}

/** A browser that has begun at a host. */
export interface Begun {
  /** As the browser sends it. */
  readonly cookie: string;
  readonly line: string;
  /** The query with which it goes to the sign-in. */
  readonly query: string;
}

const random = (): string => randomBytes(32).toString("base64url");

export const at = (
  { target }: Pick<Signed, "target">,
  host: string,
  query: string,
  cookie = "",
): Promise<HttpResponse> =>
  send(target, {
    path: `${PATH}${query}`,
    headers: { Host: host, "X-Forwarded-Proto": "https", ...(cookie && { Cookie: cookie }) },
  });

const queryOf = ({ location = "" }: HttpResponse): string =>
  URL.canParse(location) ? new URL(location).search : "";

export async function begin(visit: Signed, host: string): Promise<Begun> {
  const response = await at(visit, host, `?return_to=${encodeURIComponent(`https://${host}/`)}`);
  const [line = ""] = response.cookies;
  const cookie = line.split(";", 1)[0] ?? "";
  return { cookie, line, query: queryOf(response) };
}

/** The sign-in with the session of the account: what it redirects to. */
const ask = ({ target, account }: Signed, query: string): Promise<HttpResponse> =>
  send(target, { path: `${PATH}${query}`, session: account.token });

/** The query with a code for that browser. */
export async function coded(visit: Signed, { query }: Begun): Promise<string> {
  const given = queryOf(await ask(visit, query));
  if (!/[?&]code=[^&]/.test(given)) throw new Undecided("the sign-in gives no code");
  return given;
}

/** A correct handoff. If it failed, a refusal would prove nothing. */
async function normally(visit: Visit, host: string): Promise<string> {
  const begun = await begin(visit, host);
  const given = await ask(visit, begun.query);
  const { session } = await at(visit, host, await coded(visit, begun), begun.cookie);
  if (session === undefined) throw new Undecided("a code gives no session");
  visit.tally.tried();
  const isKept = headerOf(given, "referrer-policy") === "no-referrer";
  if (!isKept || headerOf(given, "cache-control") !== "no-store")
    visit.tally.gotThrough("an answer with a code can be cached, or sent on as a referrer");
  const [, code = ""] = /[?&]code=([^&]+)/.exec(queryOf(given)) ?? [];
  if (visit.target.access?.serverLog().includes(code) === true)
    visit.tally.gotThrough("the server log contains a code");
  return session;
}

/** Takes a code for one browser in another way. */
async function refused(visit: Visit, what: string, taking: Promise<HttpResponse>): Promise<void> {
  visit.tally.tried();
  if ((await taking).session !== undefined) visit.tally.gotThrough(what);
}

/** Forward auth, for a page at that host: whether it accepts the session. */
async function isAdmitted(
  { target }: Visit,
  session: string,
  headers: Headers,
  from?: string,
): Promise<boolean> {
  const { status } = await send(target, { path: "/forward-auth", session, headers, from });
  return status >= 200 && status < 300;
}

async function atOtherHosts(
  visit: Visit,
  session: string,
  host: string,
  other: string,
): Promise<void> {
  if (!(await isAdmitted(visit, session, { Host: host })))
    throw new Undecided("the session of a host is not accepted there");
  const from = visit.target.access?.proxy?.address;
  const named = (name: string): Headers => ({ Host: other, "X-Forwarded-Host": name });
  const hosts = [other, `${host}.${FOREIGN_HOST}`, `x${host}`, ...changedHosts(host)];
  for (const name of hosts) {
    visit.tally.tried();
    const isOpen =
      (await isAdmitted(visit, session, { Host: name })) ||
      (from !== undefined && (await isAdmitted(visit, session, named(name), from)));
    if (isOpen) visit.tally.gotThrough(`the session of ${host} is accepted at ${name}`);
  }
}

async function byStrangers(visit: Visit, host: string): Promise<void> {
  const [victim, thief] = [await begin(visit, host), await begin(visit, host)];
  const take = async (cookie: string) => at(visit, host, await coded(visit, victim), cookie);
  const name = victim.cookie.split("=", 1)[0];
  await refused(visit, "a stolen code counts in a browser that did not begin", take(""));
  await refused(visit, "a stolen code counts in another browser that began", take(thief.cookie));
  await refused(visit, "an empty cookie counts as having begun", take(`${name}=`));
  const hash = new URLSearchParams(victim.query).get("browser") ?? "";
  await refused(visit, "the hash of the cookie counts as the cookie", take(`${name}=${hash}`));
  // The code of the attacker's account, which a link opens in the browser of another user.
  const [own, other] = [await begin(visit, host), await begin(visit, host)];
  const both = `${other.cookie}; ${own.cookie}`;
  const fixed = at(visit, host, await coded(visit, own), both);
  await refused(visit, "a code of one browser counts beside the cookie of another", fixed);
}

async function elsewhere(visit: Visit, host: string, other: string): Promise<void> {
  const begun = await begin(visit, host);
  const moved = at(visit, other, await coded(visit, begun), begun.cookie);
  await refused(visit, "a code of one host counts at another", moved);
  // Like a code of another gate: it has the right form, but this gate did not create it.
  const unknown = at(visit, host, `?code=${random()}`, begun.cookie);
  await refused(visit, "a code of another gate counts", unknown);
}

/** A sibling host can set any other cookie for all hosts of their domain. */
async function bySetCookie(visit: Visit, host: string): Promise<void> {
  visit.tally.tried();
  const { line } = await begin(visit, host);
  const isOwn = /^__Host-/.test(line) && /;\s*secure\b/i.test(line) && !/;\s*domain=/i.test(line);
  if (!isOwn || !/;\s*httponly\b/i.test(line))
    visit.tally.gotThrough("another host can set the cookie of the browser that begins");
}

async function twice(visit: Visit, host: string): Promise<void> {
  const begun = await begin(visit, host);
  const code = await coded(visit, begun);
  const taken = await Promise.all(
    Array.from({ length: 8 }, () => at(visit, host, code, begun.cookie)),
  );
  visit.tally.tried();
  if (taken.filter(({ session }) => session !== undefined).length > 1)
    visit.tally.gotThrough("a code counts twice at the same moment");
  const again = at(visit, host, code, begun.cookie);
  await refused(visit, "a code counts again", again);
}

async function toForeignHosts(visit: Visit, host: string): Promise<void> {
  const hosts = [FOREIGN_HOST, `${host}.${FOREIGN_HOST}`, `x${host}`.replace(".", "")];
  const targets = hosts.flatMap((one) => [`https://${one}/`, `https://${host}@${one}/`]);
  for (const target of [...targets, `http://${host}/`, `https://${host}:8443/`]) {
    visit.tally.tried();
    const query = new URLSearchParams({ return_to: target, browser: random() });
    const { location = "" } = await ask(visit, `?${query}`);
    if (/[?&]code=/.test(location)) visit.tally.gotThrough(`a code goes to ${location}`);
  }
}
