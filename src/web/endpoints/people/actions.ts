import {
  endSessionsOf,
  type PeoplePorts,
  removeUser,
  renameUser,
} from "../../../core/accounts/accounts.ts";
import { groupsIn, setGroups } from "../../../core/accounts/set-groups.ts";
import { futureDate } from "../../../core/base/dates.ts";
import {
  LINK_LIFETIME_MS,
  makeLink,
  revokeLink,
  type WantedLink,
} from "../../../core/links/make-link.ts";
import type { UserId } from "../../../core/records.ts";
import { locationFor } from "../../answers/location.ts";
import { type Answer, redirect, withHeader } from "../../answers/responses.ts";
import { isOverTls } from "../../answers/session-cookie.ts";
import type { MessageName } from "../../pages/words/en.ts";
import { shownTime } from "../../pages/words.ts";
import type { OwnFormEndpoint, OwnVisit, PeopleRules } from "../../ports.ts";
import type { Form } from "../../request/form.ts";
import { hostOf } from "../../request/web-request.ts";
import { type PeopleAction, pageOfPeople } from "./for-admins.ts";
import { peopleData } from "./pages.ts";

type MadeLink = Extract<Awaited<ReturnType<typeof makeLink>>, { readonly kind: "made" }>;
type Action = (rules: PeoplePorts, form: Form, madeBy: string) => Promise<string | MadeLink>;

const idIn = (form: Form): UserId => form("user") as UserId;
const groupsOf = (form: Form) => groupsIn(form("groups").replaceAll(/\s/g, ""));

/** What each form does: the outcome of its rule, or a link to show. */
const actions = {
  async invite(rules, form, madeBy) {
    const [name, groups, until] = [form("username"), groupsOf(form), form("until")];
    if (groups === "invalid") return groups;
    const end = until === "" ? undefined : futureDate(until, rules.clock.now());
    if (end === undefined && until !== "") return "end-invalid";
    const account = { groups, madeBy, ...(name !== "" && { name }) };
    // A guest ends with the link.
    return form("guest") === ""
      ? linkFor(rules, { purpose: "invite", ...account, ...(end && { endsAt: end }) })
      : linkFor(rules, { purpose: "guest", ...account, ...(end && { expiresAt: end }) });
  },
  async reset(rules, form, madeBy) {
    const purpose = form("codes_off") === "" ? "reset" : "reset-codes-off";
    return linkFor(rules, { purpose, madeBy, userId: idIn(form) });
  },
  revoke: (rules, form) => revokeLink(rules, form("link")),
  async groups(rules, form) {
    const groups = groupsOf(form);
    return groups === "invalid" ? groups : setGroups(rules, idIn(form), groups);
  },
  rename: (rules, form) => renameUser(rules, idIn(form), form("username")),
  "sign-out": (rules, form) => endSessionsOf(rules, idIn(form)),
  remove: (rules, form) => removeUser(rules, idIn(form)),
} satisfies Record<PeopleAction, Action>;

async function linkFor(
  rules: PeoplePorts,
  wanted: Omit<WantedLink, "expiresAt" | "usesLeft"> & Partial<Pick<WantedLink, "expiresAt">>,
) {
  const expiresAt = new Date(rules.clock.now() + LINK_LIFETIME_MS);
  const outcome = await makeLink(rules, { expiresAt, ...wanted, usesLeft: 1 });
  return outcome.kind === "made" ? outcome : outcome.kind;
}

type Outcome = Exclude<Awaited<ReturnType<(typeof actions)[PeopleAction]>>, MadeLink>;

/** The message of an outcome, and the field of the form that it belongs to. */
const problems: Readonly<
  Record<Outcome, readonly [MessageName, "groups" | "username" | "until"] | null>
> = {
  invalid: ["groupsInvalid", "groups"],
  "last-user": ["lastAdmin", "groups"],
  "last-admin": ["lastAdmin", "groups"],
  "username-missing": ["fieldMissing", "username"],
  "label-missing": ["guestIncomplete", "username"],
  "groups-missing": ["guestIncomplete", "groups"],
  "end-invalid": ["endInvalid", "until"],
  "username-taken": ["usernameTaken", "username"],
  ...{ "no-account": null, "no-user": null, "no-link": null, revoked: null, set: null },
  ...{ renamed: null, ended: null, removed: null },
};

export const postPeople =
  (people: PeopleRules, action: PeopleAction): OwnFormEndpoint =>
  async (visit, form) => {
    const { options, paths, views, request } = visit;
    const { user } = request;
    const rules = people.portsOf(user, visit.client);
    const outcome = await actions[action](rules, form, user.username);
    if (typeof outcome === "object") return answerLink(visit, outcome);
    const page = pageOfPeople(paths, request);
    const problem = problems[outcome];
    if (problem !== null) {
      const [name, field] = problem;
      const fields = [`${field}-${idIn(form)}`] as const;
      const message = views.message(request, name);
      const [username, groups, until] = [form("username"), form("groups"), form("until")];
      const shown = { message, fields, entered: { username, groups, until } };
      const data = { ...(await peopleData(people, visit, page)), problem: shown };
      return views.page(request, "people", data, { status: 422 });
    }
    // Browsers unfold the person that the fragment names.
    if ((await people.administrator(user.id)) !== undefined)
      return redirect(`${page}#${encodeURIComponent(`p-${idIn(form)}`)}`);
    return redirect(paths.homes.at(-1) ?? locationFor(options.postLoginLocation, user));
  };

/** Shows the link, here alone. The page has no forms, which would be sent without an origin. */
async function answerLink(
  { paths, options, views, request }: OwnVisit,
  { link, token }: MadeLink,
): Promise<Answer> {
  const { publicUrl = `http${isOverTls(request) ? "s" : ""}://${hostOf(request)}` } = options.hosts;
  const url = `${publicUrl}${paths.link}${token}`;
  const end = shownTime(views.locale(request), link.expiresAt).utc;
  const made = { purpose: link.purpose, url, end };
  const answer = await views.page(request, "people", { people: [], links: [], search: "", made });
  return withHeader(answer, "Referrer-Policy", "no-referrer");
}
