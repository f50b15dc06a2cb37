import { listPeople } from "../../../core/accounts/list-people.ts";
import type { Link, LinkPurpose, Person } from "../../../core/records.ts";
import type { Answer } from "../../answers/responses.ts";
import type { PageData, ShownLink, ShownPerson } from "../../pages/page-data.ts";
import { shownTime } from "../../pages/utc-time.ts";
import type { Locale } from "../../pages/words.ts";
import type { PeopleRules, WebPorts } from "../../ports.ts";
import { clientOf } from "../../request/remote-address.ts";
import type { AdmittedRequest } from "../../request/web-request.ts";

const MAX_LINKS = 100;
/** People who accept an invitation choose their username, of any length. */
const MAX_SHOWN = 100;

export const getPeople =
  (people: PeopleRules) =>
  async (ports: WebPorts, request: AdmittedRequest): Promise<Answer> =>
    ports.views.page(request, "people", await peopleData(ports, people, request, request.query));

/** What the page shows. */
export async function peopleData(
  ports: WebPorts,
  people: PeopleRules,
  request: AdmittedRequest,
  query: string,
): Promise<PageData["people"]> {
  const locale = ports.views.locale(request);
  const { store, clock } = people.portsOf(request.user, clientOf(request, ports.proxies));
  const asked = new URLSearchParams(query);
  const search = asked.get("q") ?? "";
  const [found, links] = await Promise.all([
    listPeople({ store, clock }, search, Number(asked.get("page"))),
    store.links?.read("", MAX_LINKS, new Date(clock.now())),
  ]);
  const queryOf = (page: number): string =>
    `?${new URLSearchParams({ q: search, page: `${page}` })}`;
  return {
    people: found.people.map((person) => shownPerson(locale, person)),
    search,
    previous: found.page > 0 ? queryOf(found.page - 1) : undefined,
    next: found.isLast ? undefined : queryOf(found.page + 1),
    links: links?.map((link) => shownLink(locale, link)),
  };
}

const shownPerson = (
  locale: Locale,
  { user, endsAt, signedInAt, ...facts }: Person,
): ShownPerson => ({
  ...facts,
  id: user.id,
  username: shortened(user.username),
  isGuest: user.guest === true,
  groups: user.groups ?? [],
  signedIn: signedInAt && shownTime(locale, signedInAt),
  end: endsAt && shownTime(locale, endsAt).utc,
});

export const purposeShown = (purpose: LinkPurpose): PageData["link"]["purpose"] =>
  purpose === "reset-codes-off" ? "reset" : purpose;

const shownLink = (locale: Locale, { id, purpose, name = "", expiresAt }: Link): ShownLink => ({
  id,
  purpose: purposeShown(purpose),
  name: shortened(name),
  end: shownTime(locale, expiresAt).utc,
});

/** A text that others have chosen, cut to fit a page. */
export const shortened = (text: string): string =>
  text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN).toWellFormed()}…`;
