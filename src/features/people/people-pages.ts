import { takeNotice } from "../../http/notice.ts";
import type { Answer } from "../../http/responses.ts";
import type { PageData } from "../../pages/page-data.ts";
import { formatTime, shortenText } from "../../pages/words.ts";
import type { UserContext } from "../context.ts";
import { listPeople } from "./accounts.ts";

const MAX_LINKS = 100;
/**
 * A longer username is shortened in the URL of a page, and the page then begins with the same user
 * again.
 */
const MAX_KEY = 500;
export async function getPeople(context: UserContext): Promise<Answer> {
  const { views, request } = context;
  const { notice, cookies } = takeNotice(request);
  const data = { ...(await readPeopleData(context, request.query)), notice };
  return views.page(context, "people", data, { cookies });
}

/** Reads the data that the page shows at a location, which has a query. */
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
  const found = some.length === 0 && getKey("links") ? await readLinks() : some;
  const links = found.slice(0, MAX_LINKS);
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
    nextLinks: formatQuery("links", found.length > MAX_LINKS ? links.at(-1)?.id : undefined),
    links: links.map(({ id, purpose, name = "", groups = [], madeBy, expiresAt }) => ({
      ...{ id, purpose, name: shortenText(name), groups, end: formatTime(locale, expiresAt).utc },
      madeBy: madeBy && shortenText(madeBy),
    })),
  };
}
