import { listPeople } from "./accounts.ts";
import { eventTypes } from "../../audit/events.ts";
import type { UserId } from "../../db/records.ts";
import { takeNotice } from "../../http/notice.ts";
import type { Answer } from "../../http/responses.ts";
import type { PageData } from "../../pages/page-data.ts";
import { formatTime, getWords } from "../../pages/words.ts";
import type { UserContext } from "../context.ts";
import { formatActivity } from "../home/home-pages.ts";

const ENTRIES_PER_PAGE = 50;
const NOBODY = "" as UserId;
const MAX_LINKS = 100;
/** A longer username is cut in the address of a page, which then begins with that person again. */
const MAX_KEY = 500;
/** People who accept an invitation choose their username, of any length. */
const MAX_SHOWN = 100;

export async function getPeople(context: UserContext): Promise<Answer> {
  const { views, request } = context;
  const { notice, cookies } = takeNotice(request);
  const data = { ...(await readPeopleData(context, request.query)), notice };
  return views.page(context, "people", data, { cookies });
}

/** What the page shows at a location, which has a query. */
export async function readPeopleData(
  { rules, views, request }: UserContext,
  location: string,
): Promise<PageData["people"]> {
  const { store, clock } = rules;
  const locale = views.locale(request);
  const asked = new URLSearchParams(location.replace(/^[^?]*/, ""));
  const search = asked.get("q") ?? "";
  const getKey = (name: string): string | undefined => asked.get(name) || undefined;
  const formatQuery = (name: string, key: string | undefined): string | undefined =>
    key && `?${new URLSearchParams({ q: search, [name]: key.slice(0, MAX_KEY) })}`;
  const readLinks = (id = "") => store.links.read(id, MAX_LINKS + 1, new Date(clock.now()));
  const [{ people, before, after }, some] = await Promise.all([
    listPeople({ store, clock }, search, { before: getKey("before"), after: getKey("after") }),
    readLinks(getKey("links")),
  ]);
  const storedUser = some.length === 0 && getKey("links") ? await readLinks() : some;
  const links = storedUser.slice(0, MAX_LINKS);
  return {
    people: people.map(({ user, endsAt, signedInAt, ...facts }) => ({
      user: { ...user, username: shortenText(user.username) },
      end: endsAt && formatTime(locale, endsAt).utc,
      signedIn: signedInAt && formatTime(locale, signedInAt),
      ...facts,
    })),
    search,
    previous: formatQuery("before", before),
    next: formatQuery("after", after),
    firstLinks: getKey("links") && `?${new URLSearchParams({ q: search })}`,
    nextLinks: formatQuery("links", storedUser.length > MAX_LINKS ? links.at(-1)?.id : undefined),
    links: links.map(({ id, purpose, name = "", groups = [], madeBy, expiresAt }) => ({
      ...{ id, purpose, name: shortenText(name), groups, end: formatTime(locale, expiresAt).utc },
      madeBy: madeBy && shortenText(madeBy),
    })),
  };
}

/** Shows the audit log, by person and type. */
export async function getActivity(context: UserContext): Promise<Answer> {
  const { rules, views, request } = context;
  const { store, events } = rules;
  const locale = views.locale(request);
  const asked = new URLSearchParams(request.query);
  const [name, id] = [asked.get("name") ?? "", (asked.get("user") ?? "") as UserId];
  const user = await (name === "" ? store.users.find(id) : store.users.findByName(name));
  // The entries of an account that was removed are found by its ID, and none by an unknown name.
  const userId = name === "" ? id || undefined : (user?.id ?? NOBODY);
  const type = eventTypes.find((candidate) => candidate === asked.get("type"));
  const before = Number(asked.get("before"));
  const beforeId = Number.isSafeInteger(before) && before > 0 ? before : undefined;
  await events.flush();
  const rows = await store.log.newest({ userId, type, beforeId, limit: ENTRIES_PER_PAGE + 1 });
  const entries = rows.slice(0, ENTRIES_PER_PAGE).map((entry) => {
    const { author, address = "", device = "" } = entry;
    const by = author === "system" ? "" : getWords(locale).by(author.replace(/^admin /, ""));
    const detail = [by, address, device]
      .filter((piece) => piece !== "")
      .map(shortenText)
      .join(", ");
    const { text, ...time } = formatActivity(locale, entry);
    return { ...time, text: shortenText(text), detail };
  });
  const last = rows.length > entries.length ? `${rows[entries.length - 1]?.id}` : undefined;
  const older = last && new URLSearchParams({ user: userId ?? "", type: type ?? "", before: last });
  const filter = { name: user?.username ?? name, type, types: eventTypes };
  return views.page(context, "activity", { entries, ...filter, next: older && `?${older}` });
}

/** A text that others have chosen, cut to fit a page. */
const shortenText = (text: string): string =>
  text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN).toWellFormed()}…`;
