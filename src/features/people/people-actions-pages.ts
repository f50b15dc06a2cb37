import { attributeToAdmin } from "../../audit/events.ts";
import type { UserId } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import { readChoices, splitNames } from "../../http/choices.ts";
import type { Form } from "../../http/form.ts";
import { resolveLocation } from "../../http/location.ts";
import { createNoticeCookie } from "../../http/notice.ts";
import type { PEOPLE_FORMS } from "../../http/paths.ts";
import { type Answer, redirect, withHeader } from "../../http/responses.ts";
import { isOverTls, readSession } from "../../http/session-cookie.ts";
import { getHost } from "../../http/web-request.ts";
import { findAdmin } from "../../identity/groups.ts";
import { parseFutureDate } from "../../lib/dates.ts";
import type { Mailing } from "../../mail/mailing.ts";
import type {
  NewLinkField,
  Notice,
  PageData,
  PersonField,
  ProfileField,
} from "../../pages/page-data.ts";
import { createQrCode } from "../../pages/qr-code.ts";
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
import {
  addEnteredProfile,
  profileProblems,
  readProfileChange,
} from "../profile/profile-form-pages.ts";
import { setProfile } from "../profile/set-profile.ts";
import { approveSignUp, declineSignUp } from "../sign-up/decide.ts";
import { type AccountServices, endUserSessions, removeUser } from "./accounts.ts";
import { changePerson } from "./change-person.ts";
import { toGroupChoices } from "./group-choices.ts";
import { readLinksData } from "./open-links-pages.ts";
import { readPersonData } from "./people-pages.ts";

type PeopleForm = (typeof PEOPLE_FORMS)[number];
type MadeLink = Extract<MakeLinkOutcome, { readonly kind: "made" }>;

/**
 * Lists the services that the forms pass to the rules. `record` notes which administrator made the
 * change.
 */
interface ActionServices extends AccountServices {
  readonly store: StoreParts;
  readonly mailing: Mailing | undefined;
}

type Action = (
  services: ActionServices,
  form: Form,
  maker: LinkMaker,
) => Promise<string | MadeLink>;

const readUserId = (form: Form): UserId => form("user") as UserId;

/** Reads the groups that were typed, and those whose checkboxes are checked. */
const readGroups = (form: Form): readonly string[] => [
  ...readChoices(form, "groups"),
  ...splitNames(form("groups")),
];

/** Maps each form to its action, which returns the outcome of a rule, or a link to show. */
const actions = {
  async invite(services, form, maker) {
    const [name, until] = [form("username"), form("until")];
    const end = until === "" ? undefined : parseFutureDate(until, services.clock.now());
    if (end === undefined && until !== "") return "end-invalid";
    const [groups, apps] = [readGroups(form), readChoices(form, "apps")];
    const account = { groups, apps, ...(name !== "" && { name }) };
    // A guest ends with the link.
    return form("guest") === ""
      ? createLink(
          services,
          {
            purpose: "invite",
            ...account,
            ...(form("email") !== "" && { email: form("email").trim() }),
            ...(end && { endsAt: end }),
          },
          maker,
        )
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
  approve: (services, form) => approveSignUp(services, form("request")),
  decline: (services, form) => declineSignUp(services, form("request")),
  change: (services, form) =>
    changePerson(services, readUserId(form), {
      username: form("username"),
      groups: readGroups(form),
      version: form("version"),
    }),
  groups: (services, form) =>
    changePerson(services, readUserId(form), { groups: readGroups(form) }),
  rename: (services, form) =>
    changePerson(services, readUserId(form), { username: form("username") }),
  async profile(services, form) {
    const change = readProfileChange(form);
    const verification = form("email_verified") === "" ? "unverified" : "verified";
    // Without an address, the checkbox says nothing.
    const emailIs = change.email.trim() === "" ? undefined : verification;
    return setProfile(services, readUserId(form), { ...change, emailIs });
  },
  "sign-out": (services, form) => endUserSessions(services, readUserId(form)),
  remove: (services, form) => removeUser(services, readUserId(form)),
} as const satisfies Readonly<Record<PeopleForm, Action>>;

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

type ActionField = NewLinkField | ProfileField;

/** Says what follows an outcome. */
type Reaction =
  | { readonly kind: "problem"; readonly message: MessageName; readonly field: ActionField }
  /** The page of the form follows. */
  | { readonly kind: "done"; readonly notice: Notice }
  /** The page of all accounts follows, since the account does not exist. */
  | { readonly kind: "gone"; readonly notice: Notice | undefined }
  /** Nothing has changed. */
  | { readonly kind: "nothing" };

const toProblem = (message: MessageName, field: ActionField): Reaction => ({
  kind: "problem",
  message,
  field,
});
const toDone = (notice: Notice): Reaction => ({ kind: "done", notice });

/** Maps each outcome to what follows. */
const reactions: Readonly<Record<Outcome, Reaction>> = {
  "groups-invalid": toProblem("groupsInvalid", "groups"),
  "last-user": toProblem("lastAdmin", "groups"),
  "last-admin": toProblem("lastAdmin", "groups"),
  "changed-meanwhile": toProblem("changedMeanwhile", "username"),
  "username-missing": toProblem("fieldMissing", "username"),
  "label-missing": toProblem("guestIncomplete", "username"),
  "groups-missing": toProblem("guestIncomplete", "groups"),
  "end-invalid": toProblem("endInvalid", "until"),
  "username-invalid": toProblem("usernameInvalid", "username"),
  "username-taken": toProblem("usernameTaken", "username"),
  "username-used": toProblem("usernameUsed", "username"),
  "no-mail": toProblem("noMail", "email"),
  "label-invalid": toProblem("usernameInvalid", "username"),
  "name-invalid": { kind: "problem", ...profileProblems["name-invalid"] },
  "email-invalid": { kind: "problem", ...profileProblems["email-invalid"] },
  "email-missing": { kind: "problem", ...profileProblems["email-missing"] },
  "email-taken": { kind: "problem", ...profileProblems["email-taken"] },
  // The page offers only apps that a link can open, so these have changed in the meantime.
  "app-unknown": toProblem("linkCannotOpen", "apps"),
  "app-without-groups": toProblem("linkCannotOpen", "apps"),
  "app-needs-factor": toProblem("linkCannotOpen", "apps"),
  "app-for-admins": toProblem("linkCannotOpen", "apps"),
  approved: toDone("signUpIsApproved"),
  declined: toDone("signUpIsDeclined"),
  "identity-taken": { kind: "gone", notice: "signUpIsTaken" },
  "no-request": { kind: "nothing" },
  changed: toDone("changeIsSaved"),
  set: toDone("changeIsSaved"),
  // The page of a guest does not have this form.
  guest: { kind: "nothing" },
  revoked: toDone("linkIsRevoked"),
  ended: toDone("personIsSignedOut"),
  removed: { kind: "gone", notice: "accountIsRemoved" },
  "no-user": { kind: "gone", notice: undefined },
  "no-account": { kind: "nothing" },
  "no-link": { kind: "nothing" },
};

/** Runs the form of this name, and shows its outcome. */
export async function postPeople(
  name: PeopleForm,
  context: UserContext,
  form: Form,
): Promise<Answer> {
  const { rules, options, paths, request, user, client, views } = context;
  const services: ActionServices = {
    ...rules,
    keep: "an-admin",
    record: (event) => rules.events.record(attributeToAdmin(event, user, client)),
  };
  const session = readSession(rules, request);
  if (session === undefined) return redirect(paths.login);
  const outcome = await actions[name](services, form, {
    user,
    session,
    locale: views.locale(request),
  });
  const page = findFollowingPage(name, context, form);
  if (typeof outcome === "object") return respondWithLink(context, outcome, page);
  const reaction = reactions[outcome];
  if (reaction.kind === "problem") {
    return name === "invite"
      ? showLinkProblem(context, form, reaction)
      : showPersonProblem(name, context, form, reaction);
  }
  if ((await findAdmin(rules, user.id)) === undefined) {
    return redirect(paths.home ?? resolveLocation(options.postLoginLocation, user));
  }
  const notice = reaction.kind === "nothing" ? undefined : reaction.notice;
  const cookies = notice === undefined ? [] : [createNoticeCookie(request, notice)];
  return redirect(reaction.kind === "gone" ? paths.people : page, cookies);
}

/** Returns the page that has the form. */
function findFollowingPage(name: PeopleForm, { paths }: UserContext, form: Form): string {
  switch (name) {
    case "invite":
    case "revoke":
      return paths.links;
    case "approve":
    case "decline":
      return paths.people;
    default:
      return `${paths.people}/${encodeURIComponent(readUserId(form))}`;
  }
}

type Problem = Extract<Reaction, { readonly kind: "problem" }>;

/** Shows the page of links again, with what was entered and a message at the wrong field. */
async function showLinkProblem(
  context: UserContext,
  form: Form,
  { message, field }: Problem,
): Promise<Answer> {
  const { views, request } = context;
  const entered = {
    username: form("username"),
    email: form("email"),
    newGroups: form("groups"),
    until: form("until"),
    groups: readChoices(form, "groups"),
    apps: readChoices(form, "apps"),
    problem: {
      message: views.message(request, message),
      // This form has no profile.
      fields: [field === "name" || field === "email" ? "username" : field] as const,
    },
  };
  const purpose = form("guest") === "" ? "invite" : "guest";
  const data = await readLinksData(context, { [purpose]: entered });
  return views.page(context, "links", data, { status: 422 });
}

/** Shows the page of the account again, with what was entered and a message at the wrong field. */
async function showPersonProblem(
  name: PeopleForm,
  context: UserContext,
  form: Form,
  { message, field }: Problem,
): Promise<Answer> {
  const { views, request, paths } = context;
  const data = await readPersonData(context, readUserId(form));
  if (data === undefined) return redirect(paths.people);
  const fields = [toPersonField(name, field)] as const;
  const problem = { message: views.message(request, message), fields };
  // Of an account that has changed in the meantime, the form shows the new values.
  const entered = message === "changedMeanwhile" ? data : addEntered(name, data, form);
  return views.page(context, "person", { ...entered, problem }, { status: 422 });
}

function toPersonField(name: PeopleForm, field: ActionField): PersonField {
  if (name === "remove") return "remove";
  if (name === "profile") return field === "email" ? field : "name";
  return field === "username" ? field : "groups";
}

type PersonData = PageData["person"];

/** Returns the data with what was entered. */
function addEntered(name: PeopleForm, data: PersonData, form: Form): PersonData {
  const hasName = name === "change" || name === "rename";
  const hasGroups = name === "change" || name === "groups";
  const all = data.groups.map((group) => group.name);
  const hasProfile = name === "profile" && data.profile !== undefined;
  return {
    ...data,
    profile: hasProfile ? addEnteredProfile(data.profile, form) : data.profile,
    form: {
      username: hasName ? form("username") : data.form.username,
      groups: hasGroups ? form("groups") : "",
    },
    groups: hasGroups ? toGroupChoices(all, readChoices(form, "groups")) : data.groups,
  };
}

/**
 * Shows the link, only in this response. The page has no forms, because browsers would send them
 * without an origin.
 */
async function respondWithLink(
  context: UserContext,
  { link, token }: MadeLink,
  donePath: string,
): Promise<Answer> {
  const { paths, options, views, request } = context;
  const { publicUrl = `http${isOverTls(request) ? "s" : ""}://${getHost(request)}` } =
    options.hosts;
  const url = `${publicUrl}${paths.link}${token}`;
  const answer = await views.page(context, "links", {
    kind: "made",
    purpose: link.purpose,
    url,
    qr: createQrCode(url),
    end: formatTime(views.locale(request), link.expiresAt),
    donePath,
  });
  return withHeader(answer, "Referrer-Policy", "no-referrer");
}
