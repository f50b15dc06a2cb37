import { listPeople } from "../../../core/accounts/accounts.ts";
import type { Answer } from "../../answers/responses.ts";
import type { PageData } from "../../pages/page-data.ts";
import { shownTime } from "../../pages/utc-time.ts";
import type { PeopleRules, WebPorts } from "../../ports.ts";
import { clientOf } from "../../request/remote-address.ts";
import type { AdmittedRequest } from "../../request/web-request.ts";

const MAX_LINKS = 100;
/** People who accept an invitation choose their username, of any length. */
const MAX_SHOWN = 100;

export const getPeople = async (
  ports: WebPorts,
  people: PeopleRules,
  request: AdmittedRequest,
): Promise<Answer> =>
  ports.views.page(request, "people", await peopleData(ports, people, request, request.query));

/** What the page shows at a location, which has a query. */
export async function peopleData(
  ports: WebPorts,
  rules: PeopleRules,
  request: AdmittedRequest,
  location: string,
): Promise<PageData["people"]> {
  const locale = ports.views.locale(request);
  const { store, clock } = rules.portsOf(request.user, clientOf(request, ports.proxies));
  const asked = new URLSearchParams(location.replace(/^[^?]*/, ""));
  const search = asked.get("q") ?? "";
  const [{ people, next }, links] = await Promise.all([
    listPeople({ store, clock }, search, Number(asked.get("page"))),
    store.links.read("", MAX_LINKS, new Date(clock.now())),
  ]);
  return {
    people: people.map(({ user, endsAt, signedInAt, ...facts }) => ({
      user: { ...user, username: shortened(user.username) },
      end: endsAt && shownTime(locale, endsAt).utc,
      signedIn: signedInAt && shownTime(locale, signedInAt),
      ...facts,
    })),
    search,
    next: next === undefined ? next : `?${new URLSearchParams({ q: search, page: `${next}` })}`,
    links: links.map(({ id, purpose, name = "", expiresAt }) => ({
      ...{ id, purpose, name: shortened(name), end: shownTime(locale, expiresAt).utc },
    })),
  };
}

/** A text that others have chosen, cut to fit a page. */
export const shortened = (text: string): string =>
  text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN).toWellFormed()}…`;
