import { attributeToAdmin } from "../../audit/events.ts";
import type { UserId } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { Form } from "../../http/form.ts";
import { findPeoplePage } from "../../http/form-page.ts";
import { resolveLocation } from "../../http/location.ts";
import { createNoticeCookie } from "../../http/notice.ts";
import type { PEOPLE_FORMS } from "../../http/paths.ts";
import { type Answer, redirect, withHeader } from "../../http/responses.ts";
import { isOverTls, readSession } from "../../http/session-cookie.ts";
import { getHost } from "../../http/web-request.ts";
import { findAdmin } from "../../identity/groups.ts";
import { parseFutureDate } from "../../lib/dates.ts";
import { formatTime, type MessageName } from "../../pages/words.ts";
import type { UserContext } from "../context.ts";
import {
  LINK_LIFETIME_MS,
  type LinkMaker,
  type MakeLinkOutcome,
  makeLink,
  revokeLink,
  type WantedLink,
} from "../links/make-link.ts";
import { type AccountServices, endUserSessions, removeUser, renameUser } from "./accounts.ts";
import { readPeopleData } from "./people-pages.ts";
import { setGroups } from "./set-groups.ts";

type MadeLink = Extract<MakeLinkOutcome, { readonly kind: "made" }>;

/**
 * Lists the services that the forms pass to the rules. `record` notes which administrator made the
 * change.
 */
interface ActionServices extends AccountServices {
  readonly store: StoreParts;
}

type Action = (
  services: ActionServices,
  form: Form,
  maker: LinkMaker,
) => Promise<string | MadeLink>;

const readUserId = (form: Form): UserId => form("user") as UserId;
const readGroups = (form: Form) => form("groups").replaceAll(/\s/g, "").split(",");

/** Maps each form to its action, which returns the outcome of a rule, or a link to show. */
const actions = {
  async invite(services, form, maker) {
    const [name, until] = [form("username"), form("until")];
    const end = until === "" ? undefined : parseFutureDate(until, services.clock.now());
    if (end === undefined && until !== "") return "end-invalid";
    const account = { groups: readGroups(form), ...(name !== "" && { name }) };
    // A guest ends with the link.
    return form("guest") === ""
      ? createLink(services, { purpose: "invite", ...account, ...(end && { endsAt: end }) }, maker)
      : createLink(
          services,
          { purpose: "guest", ...account, ...(end && { expiresAt: end }) },
          maker,
        );
  },
  async reset(services, form, maker) {
    const purpose = form("codes_off") === "" ? "reset" : "reset-codes-off";
    return createLink(services, { purpose, userId: readUserId(form) }, maker);
  },
  revoke: (services, form) => revokeLink(services, form("link")),
  groups: (services, form) => setGroups(services, readUserId(form), readGroups(form)),
  rename: (services, form) => renameUser(services, readUserId(form), form("username")),
  "sign-out": (services, form) => endUserSessions(services, readUserId(form)),
  remove: (services, form) => removeUser(services, readUserId(form)),
} satisfies Record<(typeof PEOPLE_FORMS)[number], Action>;

async function createLink(
  services: ActionServices,
  wanted: Omit<WantedLink, "expiresAt" | "usesLeft"> & Partial<Pick<WantedLink, "expiresAt">>,
  maker: LinkMaker,
) {
  const expiresAt = new Date(services.clock.now() + LINK_LIFETIME_MS);
  const outcome = await makeLink(services, { expiresAt, ...wanted, usesLeft: 1 }, maker);
  return outcome.kind === "made" ? outcome : outcome.kind;
}

type KnownAction = (typeof actions)[keyof typeof actions];
type Outcome = Exclude<Awaited<ReturnType<KnownAction>>, MadeLink>;

/** Maps each outcome to its message and the field of the form that it belongs to. */
const problems: Readonly<
  Record<Outcome, readonly [MessageName, "groups" | "username" | "until"] | null>
> = {
  "groups-invalid": ["groupsInvalid", "groups"],
  "last-user": ["lastAdmin", "groups"],
  "last-admin": ["lastAdmin", "groups"],
  "username-missing": ["fieldMissing", "username"],
  "label-missing": ["guestIncomplete", "username"],
  "groups-missing": ["guestIncomplete", "groups"],
  "end-invalid": ["endInvalid", "until"],
  "username-invalid": ["usernameInvalid", "username"],
  "username-taken": ["usernameTaken", "username"],
  "username-used": ["usernameUsed", "username"],
  "label-invalid": ["usernameInvalid", "username"],
  ...{ "no-account": null, "no-user": null, "no-link": null, revoked: null, set: null },
  ...{ renamed: null, ended: null, removed: null },
  // The forms of the page name no apps.
  ...{ "app-unknown": null, "app-without-groups": null },
  ...{ "app-needs-factor": null, "app-for-admins": null },
};

/** Runs the form of this name, and shows its outcome on the page. */
export async function postPeople(
  name: (typeof PEOPLE_FORMS)[number],
  context: UserContext,
  form: Form,
): Promise<Answer> {
  const { rules, options, paths, views, request, user, client } = context;
  const services: ActionServices = {
    ...rules,
    keep: "an-admin",
    record: (event) => rules.events.record(attributeToAdmin(event, user, client)),
  };
  const session = readSession(rules, request);
  if (session === undefined) return redirect(paths.login);
  const outcome = await actions[name](services, form, { user, session });
  if (typeof outcome === "object") return respondWithLink(context, outcome);
  const page = findPeoplePage(paths, request);
  const problem = problems[outcome];
  if (problem !== null) {
    const [name, field] = problem;
    const fields = [`${field}-${readUserId(form)}`] as const;
    const message = views.message(request, name);
    const [username, groups, until] = [form("username"), form("groups"), form("until")];
    const shown = { message, fields, entered: { username, groups, until } };
    const data = { ...(await readPeopleData(context, page)), problem: shown };
    return views.page(context, "people", data, { status: 422 });
  }
  if ((await findAdmin(rules, user.id)) !== undefined) {
    const isDone = !outcome.startsWith("no-");
    const notices = isDone ? [createNoticeCookie(request, "changeIsSaved")] : [];
    // Browsers open the person that the fragment names.
    return redirect(`${page}#${encodeURIComponent(`p-${readUserId(form)}`)}`, notices);
  }
  return redirect(paths.home ?? resolveLocation(options.postLoginLocation, user));
}

/**
 * Shows the link, only in this response. The page has no forms, because browsers would send them
 * without an origin.
 */
async function respondWithLink(context: UserContext, { link, token }: MadeLink): Promise<Answer> {
  const { paths, options, views, request } = context;
  const { publicUrl = `http${isOverTls(request) ? "s" : ""}://${getHost(request)}` } =
    options.hosts;
  const url = `${publicUrl}${paths.link}${token}`;
  const end = formatTime(views.locale(request), link.expiresAt).utc;
  const made = { purpose: link.purpose, url, end };
  const answer = await views.page(context, "people", { people: [], links: [], search: "", made });
  return withHeader(answer, "Referrer-Policy", "no-referrer");
}
