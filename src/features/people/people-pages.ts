import type { UserId } from "../../db/records.ts";
import { takeNotice } from "../../http/notice.ts";
import { PEOPLE_FORMS } from "../../http/paths.ts";
import { type Answer, redirect } from "../../http/responses.ts";
import type { PageData, ShownPerson, ShownSignUp } from "../../pages/page-data.ts";
import {
  createNameOrder,
  formatDate,
  formatTime,
  type Locale,
  shortenText,
} from "../../pages/words.ts";
import { formatEntries } from "../activity/format-activity-pages.ts";
import { judgeUser } from "../apps/app-directory.ts";
import { toShownApp } from "../apps/app-icon-pages.ts";
import type { UserContext } from "../context.ts";
import { toProfileForm } from "../profile/profile-form-pages.ts";
import { showPage } from "../show-page.ts";
import { listSignUpRequests, type SignUpRequest } from "../sign-up/decide.ts";
import { listPeople } from "./accounts.ts";
import { toVersion } from "./change-person.ts";
import { listAllGroups, toGroupChoices } from "./group-choices.ts";

/**
 * A longer username is shortened in the URL of a page, and the page then begins with the same user
 * again.
 */
const MAX_KEY = 500;
const MAX_ENTRIES = 10;

/** Shows all accounts, in pages. */
export async function getPeople(context: UserContext): Promise<Answer> {
  const { rules, views, request } = context;
  const { store, clock } = rules;
  const asked = new URLSearchParams(request.query);
  const search = asked.get("q") ?? "";
  const getKey = (name: string): string | undefined => asked.get(name) || undefined;
  const formatQuery = (name: string, key: string | undefined): string | undefined =>
    key && `?${new URLSearchParams({ q: search, [name]: key.slice(0, MAX_KEY) })}`;
  const isFirst = search === "" && getKey("before") === undefined && getKey("after") === undefined;
  const [{ people, before, after }, count, waiting] = await Promise.all([
    listPeople({ store, clock }, search, { before: getKey("before"), after: getKey("after") }),
    store.people.count(),
    isFirst ? listSignUpRequests({ store, clock }, MAX_WAITING) : [],
  ]);
  const locale = views.locale(request);
  return showPage(context, "people", {
    waiting: waiting.map((request) => toShownSignUp(locale, request)),
    people: people.map((person) => toShownPerson(locale, person, clock.now())),
    count,
    search,
    previous: formatQuery("before", before),
    next: formatQuery("after", after),
  });
}

/** The page shows this many requests. Others follow once some are decided. */
const MAX_WAITING = 50;

const toShownSignUp = (
  locale: Locale,
  { id, username, email, emailIs, provider, createdAt }: SignUpRequest,
): ShownSignUp => ({
  ...{ id, username: shortenText(username), email, emailIs, provider },
  asked: formatTime(locale, createdAt),
});

type StoredPerson = Awaited<ReturnType<typeof listPeople>>["people"][number];

function toShownPerson(
  locale: Locale,
  { user, endsAt, signedInAt, ...facts }: StoredPerson,
  now: number,
): ShownPerson {
  return {
    user: {
      ...user,
      username: shortenText(user.username),
      ...(user.name !== undefined && { name: shortenText(user.name) }),
    },
    end: endsAt && formatDate(locale, endsAt),
    hasEnded: endsAt !== undefined && endsAt.getTime() <= now,
    signedIn: signedInAt && formatTime(locale, signedInAt),
    ...facts,
  };
}

/** Shows an account: `/account/people/ID`. */
export async function getPerson(context: UserContext): Promise<Answer> {
  const { views, request, paths } = context;
  const encoded = request.path.slice(paths.people.length + 1);
  const id = decodeId(encoded);
  const data = id === undefined ? undefined : await readPersonData(context, id);
  if (data === undefined) {
    // A browser that reloads a form problem asks for the path of the form.
    if (encoded === "invite" || encoded === "revoke") return redirect(paths.links);
    const isForm = PEOPLE_FORMS.some((name) => name === encoded);
    return isForm ? redirect(paths.people) : views.error(context, 404, "noSuchPage");
  }
  const { notice, cookies } = takeNotice(request);
  return views.page(context, "person", { ...data, notice }, { cookies });
}

/** Returns `undefined` for a text that no browser sends. */
function decodeId(text: string): UserId | undefined {
  try {
    return decodeURIComponent(text) as UserId;
  } catch {
    return undefined;
  }
}

/** Reads the data of the page of an account. Returns `undefined` if the account does not exist. */
export async function readPersonData(
  { rules, views, request, paths }: UserContext,
  id: UserId,
): Promise<PageData["person"] | undefined> {
  const { store, clock, appDirectory, events } = rules;
  const person = await store.people.find(id, new Date(clock.now()));
  if (person === undefined) return undefined;
  await events.flush();
  const [all, apps, entries] = await Promise.all([
    listAllGroups(rules),
    appDirectory.read(),
    store.log.newest({ userId: id, limit: MAX_ENTRIES }),
  ]);
  const locale = views.locale(request);
  const { user } = person;
  const shown = toShownPerson(locale, person, clock.now());
  const mayOpen = (app: (typeof apps.all)[number]): boolean =>
    !shown.hasEnded && judgeUser(app, user, 2) !== "excluded";
  return {
    person: shown,
    groups: toGroupChoices(all, user.groups ?? []),
    form: { username: user.username, groups: "" },
    version: toVersion(user),
    profile: user.guest === true ? undefined : toProfileForm(user),
    apps: apps.all
      .filter(mayOpen)
      .map((app) => ({ id: app.id, ...toShownApp(app, apps, paths.base) }))
      .sort(createNameOrder(locale)),
    entries: formatEntries(locale, entries, { apps }),
  };
}
