import type { Attack, Tally } from "../attack.ts";
import { Undecided } from "../errors.ts";
import type { HttpRequest } from "../http/request.ts";
import { spellings } from "../payloads/path-variants.ts";
import { partsOf, signed } from "../payloads/tokens.ts";
import {
  ACTIVITY,
  act,
  administrator,
  type Form,
  join,
  joinAsGuest,
  LINKS,
  openLinks,
  PEOPLE,
  type Person,
  randomId,
  removePeople,
} from "../people.ts";
import { type Account, isSignedIn, ownHost, send, type Target } from "../target.ts";

/** Of each form, the last part of its path. The last one ends what the others could change. */
const ACTIONS = ["invite", "reset", "revoke", "groups", "rename", "change", "sign-out", "remove"];

/** Creates accounts and a link, and removes them. */
export const administratorsPages: Attack = {
  name: "administrators-pages",
  about: "the pages and forms for administrators, requested by everyone else",
  meaning: "Someone who is no administrator can see all accounts, change them or take them over.",
  noun: "requests",
  verb: "showed or changed something",
  needs: ["account", "fresh"],

  async run(target, tally) {
    const admin = await administrator(target);
    const people = await peopleFor(target, admin);
    const { prefix, victim, colleague, member } = people;
    const page = `${PEOPLE}?q=${prefix}`;
    const content = async (): Promise<string> => {
      const pages = [page, LINKS];
      const shown = pages.map((path) => send(target, { path, session: admin.token }));
      return String((await Promise.all(shown)).map(({ body }) => contentOf(body)));
    };
    const before = new Set(await openLinks(target, admin));
    await act(target, admin.token, "invite", { groups: "admins" });
    const link = (await openLinks(target, admin)).find((one) => !before.has(one));
    if (link === undefined || !(await content()).includes(victim.username))
      throw new Undecided("an administrator's page does not show people and links");

    const attempt: Attempt = { target, tally, people, link, content };
    const visitors = [...visitorsIn(people), ...(await withKey(target, colleague))];
    for (const [who, request] of visitors) await openPages(attempt, who, request);
    for (const [who, request] of [...visitors, ...formsOnly(target, people)])
      await sendForms(attempt, who, request);
    for (const path of spellings(PEOPLE, ownHost(target))) {
      tally.tried();
      const { body } = await send(target, { path, session: member.token });
      if (showsOneOf(people, body)) tally.gotThrough(`a member: GET ${path} shows accounts`);
    }

    // If an administrator could not change anything either, that nobody else could proves nothing.
    await act(target, admin.token, "revoke", { link });
    await removePeople(target, admin, people.all);
    if ((await content()).includes(victim.username))
      throw new Undecided("an administrator cannot remove an account");
  },
};

/**
 * The accounts, groups and links on a page, without when and where people sign in, which it shows
 * later.
 */
const contentOf = (html: string): string =>
  String(html.match(/ value="[^"]*"|<bdi>[^<]*|<span class="chip[^"]*">[^<]*/g));

interface People {
  /** What their names begin with. */
  readonly prefix: string;
  readonly victim: Person;
  readonly member: Person;
  readonly guest: Person;
  /** Another administrator, who has just signed in. */
  readonly colleague: Person;
  /** Administrators until a moment ago. */
  readonly demoted: Person;
  readonly signedOut: Person;
  readonly removed: Person;
  readonly all: readonly Person[];
}

async function peopleFor(target: Target, admin: Account): Promise<People> {
  const prefix = `attack-${randomId()}`;
  const add = (groups: string): Promise<Person> => join(target, admin, prefix, groups);
  const [victim, member] = [await add("family"), await add("family,admins-too")];
  const guest = await joinAsGuest(target, admin, prefix, "admins");
  const colleague = await add("admins");
  const [demoted, signedOut, removed] = [
    await add("admins"),
    await add("admins"),
    await add("admins"),
  ];
  for (const { token } of [colleague, demoted, signedOut, removed]) {
    const { status } = await send(target, { path: PEOPLE, session: token });
    if (status !== 200) throw new Undecided("an invited administrator cannot open the page");
  }
  await act(target, admin.token, "groups", { user: demoted.id, groups: "family" });
  await act(target, admin.token, "sign-out", { user: signedOut.id });
  await act(target, admin.token, "remove", { user: removed.id });
  const all = [victim, member, guest, colleague, demoted, signedOut];
  return { prefix, victim, member, guest, colleague, demoted, signedOut, removed, all };
}

/** Who sends a request, and what such a client adds to it. */
type Visitor = readonly [who: string, request: Partial<HttpRequest>];

function visitorsIn({ member, guest, colleague, ...people }: People): readonly Visitor[] {
  const { header, claims, signature } = partsOf(colleague.token) ?? {};
  const forged = `${header}.${claims}.${String(signature).split("").reverse().join("")}`;
  const identity = { "Remote-User": colleague.username, "Remote-User-Id": colleague.id };
  return [
    ["without a session", {}],
    ["an empty session", { session: "" }],
    ["a forged session", { session: forged }],
    ["a member", { session: member.token }],
    [
      "a member who claims to be an administrator",
      { session: member.token, headers: { ...identity, "Remote-Groups": "admins" } },
    ],
    ["a guest in the group", { session: guest.token }],
    ["an administrator who has left the group", { session: people.demoted.token }],
    ["an administrator who was signed out", { session: people.signedOut.token }],
    ["an administrator who was removed", { session: people.removed.token }],
  ];
}

/** An API key of an administrator, which opens apps only. */
async function withKey(target: Target, { token }: Person): Promise<readonly Visitor[]> {
  const form = { name: "attack", days: "30" };
  const { body } = await send(target, { path: "/account/keys/add", form, session: token });
  const [key] = /latchkey_[\w-]+/.exec(body) ?? [];
  if (key === undefined) return [];
  return [
    ["a key of an administrator", { headers: { Authorization: `Bearer ${key}` } }],
    ["a key of an administrator as a session", { session: key }],
  ];
}

/** Forms that are refused to an administrator too, who may open the pages. */
function formsOnly({ access }: Target, { colleague }: People): readonly Visitor[] {
  const session = colleague.token;
  const visitors: readonly Visitor[] = [
    ["another site", { session, headers: { "Sec-Fetch-Site": "cross-site" } }],
    ["another site", { session, headers: { Origin: "https://elsewhere.example" } }],
    ["a link", { session, method: "GET" }],
  ];
  if (access === undefined) return visitors;
  const { payload = {} } = partsOf(session) ?? {};
  const { secret } = access;
  const now = Math.floor(Date.now() / 1_000);
  const header = { alg: "HS256", typ: "JWT", host: "elsewhere.example" };
  return [
    ...visitors,
    [
      "an administrator who signed in eleven minutes ago",
      { session: signed({ ...payload, iat: now - 660 }, { secret }) },
    ],
    ["an expired session", { session: signed({ ...payload, exp: now - 1 }, { secret }) }],
    ["a session of another host", { session: signed(payload, { header, secret }) }],
  ];
}

interface Attempt {
  readonly target: Target;
  readonly tally: Tally;
  readonly people: People;
  /** The ID of an open link. */
  readonly link: string;
  /** What the page shows to an administrator. */
  content(): Promise<string>;
}

const showsOneOf = ({ victim, colleague }: People, body: string): boolean =>
  [victim, colleague].some(({ username }) => body.includes(username));

async function openPages(
  { target, tally, people }: Attempt,
  who: string,
  request: Partial<HttpRequest>,
): Promise<void> {
  const { id } = people.victim;
  const paths = [
    ...[PEOPLE, `${PEOPLE}?q=${people.prefix}`, `${PEOPLE}/${id}`, LINKS],
    ...[ACTIVITY, `${ACTIVITY}?user=${id}`, "/account/apps", "/account/apps/new"],
  ];
  for (const path of paths) {
    tally.tried();
    const { status, body } = await send(target, { ...request, path });
    // The page of activities does not name everyone whose activities it shows.
    if (status < 300 || showsOneOf(people, body))
      tally.gotThrough(`${who}: GET ${path.replace(/\?.*/, "")} shows accounts`);
  }
}

async function sendForms(
  { target, tally, people, link, content }: Attempt,
  who: string,
  request: Partial<HttpRequest>,
): Promise<void> {
  const { victim, member, colleague } = people;
  const state = async (): Promise<string> => {
    const sessions = [victim, member, colleague].map(({ token }) =>
      isSignedIn(target, `session=${token}`),
    );
    return String([await content(), ...(await Promise.all(sessions))]);
  };
  const before = await state();
  for (const action of ACTIONS) {
    for (const { id } of [member, colleague, victim]) {
      const fields: Form = {
        ...{ user: id, username: `${people.prefix}-x`, groups: "admins", link, codes_off: "1" },
        // A guest needs a name, an invitation does not.
        ...(id === victim.id && { guest: "1" }),
      };
      const path = `${PEOPLE}/${action}`;
      const isGet = request.method === "GET";
      tally.tried();
      const { body } = await send(target, {
        ...request,
        ...(isGet ? { path: `${path}?${new URLSearchParams(fields)}` } : { path, form: fields }),
      });
      if (!/\/link\/[\w-]{20}/.test(body) && (await state()) === before) continue;
      tally.gotThrough(`${who}: ${isGet ? "GET" : "POST"} ${path} changes something`);
      // What it has changed is not there for the other forms.
      return;
    }
  }
}
