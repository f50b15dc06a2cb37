import { ADMINS, type App, toPublicUser, type UserId } from "../../db/records.ts";
import { takeNotice } from "../../http/notice.ts";
import { APP_FORMS, OIDC_DISCOVERY, REVOKE_CONSENT } from "../../http/paths.ts";
import { type Answer, redirect } from "../../http/responses.ts";
import { getParameter } from "../../http/web-request.ts";
import type {
  AppFormValues,
  ListedApp,
  PageData,
  ShownClient,
  ShownRecipe,
  ShownSignOut,
  UsedApp,
} from "../../pages/page-data.ts";
import {
  createNameOrder,
  formatDate,
  formatDevice,
  formatTime,
  type Locale,
  shortenText,
} from "../../pages/words.ts";
import { fillRecipe } from "../../recipes/fill-recipe.ts";
import { findRecipes } from "../../recipes/find-recipes.ts";
import { formatPlace, listAdvice, listLines } from "../../recipes/format-recipe.ts";
import type { Recipe } from "../../recipes/recipe.ts";
import { readRecipe } from "../../recipes/recipe-files.ts";
import type { Context, UserContext } from "../context.ts";
import type { Apps } from "./app-directory.ts";
import { splitList } from "./app-fields.ts";
import { toShownApp } from "./app-icon-pages.ts";
import { type AppUses, findTroubles, readAppUses, sumUpWeek } from "./app-uses.ts";
import { toShownSignOut } from "./consents-pages.ts";
import { listEntryGroups } from "./let-in.ts";

const MAX_SIGN_OUTS = 10;

/** Contains the form for a new app before anything is entered. */
const EMPTY_FORM: AppFormValues = {
  name: "",
  id: "",
  url: "",
  who: "everyone",
  groups: "",
  new_group: "",
  factor: "",
  redirects: "",
  section: "",
  upstream: "",
  sign_out_redirects: "",
  backchannel: "",
  public: "",
  consent: "",
  signing: "RS256",
};

/** Shows all apps, or those whose name or address contains the text of the search. */
export async function getApps(context: UserContext): Promise<Answer> {
  const { views, request } = context;
  const { notice, cookies } = takeNotice(request);
  const data = { ...(await readAppsData(context)), notice };
  return views.page(context, "apps", data, { cookies });
}

async function readAppsData(context: UserContext): Promise<PageData["apps"]> {
  const { rules, paths, views, request } = context;
  const locale = views.locale(request);
  const search = (getParameter(request, "q") ?? "").trim();
  const [apps, states] = await Promise.all([
    rules.appDirectory.read(),
    rules.store.appUses.listStates(),
  ]);
  const stateOf = new Map(states.map((state) => [state.appId, state]));
  const now = new Date(rules.clock.now());
  const all = apps.all.map((app): UsedApp => {
    const state = stateOf.get(app.id);
    const { at, username } = state?.opened ?? {};
    const isOpened = at !== undefined && username !== undefined;
    return {
      ...toListedApp(app, apps, paths.base),
      opened: isOpened ? { ...formatTime(locale, at), username: shortenText(username) } : undefined,
      troubles: findTroubles(app, state, now),
    };
  });
  const wanted = search.toLowerCase();
  return {
    apps: all
      .filter(({ id, name, host = "" }) =>
        [id, name, host].some((text) => text.toLowerCase().includes(wanted)),
      )
      .sort(createNameOrder(locale)),
    search,
    count: all.length,
    troubled: all.filter(({ troubles }) => troubles.length > 0).length,
  };
}

/**
 * Shows the form for a new app: `/account/apps/new`. With `?recipe=ID`, it is for that known app, and
 * `?q=` searches these.
 */
export async function getNewApp(context: UserContext): Promise<Answer> {
  const { request, views } = context;
  const recipeId = getParameter(request, "recipe") ?? "";
  return views.page(context, "newApp", await readNewAppData(context, recipeId));
}

export async function readNewAppData(
  context: Context,
  recipeId: string,
): Promise<PageData["newApp"]> {
  const { rules, oidc, request } = context;
  const apps = await rules.appDirectory.read();
  const recipe = readRecipe(recipeId);
  const search = (getParameter(request, "q") ?? "").trim();
  return {
    form: {
      ...EMPTY_FORM,
      ...(recipe && { name: recipe.name, section: recipe.section, id: recipeId }),
    },
    groups: await listAllGroups(context, apps),
    offersOidc: oidc !== undefined,
    recipe: recipe && toShownRecipe(recipeId, recipe),
    recipes: recipe === undefined ? listFoundRecipes(search) : [],
    search,
  };
}

const toShownRecipe = (id: string, { name, summary }: Recipe): ShownRecipe => ({
  id,
  name,
  summary,
});

const listFoundRecipes = (search: string): readonly ShownRecipe[] =>
  findRecipes(search)
    .map((recipe) => toShownRecipe(recipe.id, recipe))
    .sort(createNameOrder("en"));

/** Returns what the page shows after a known app was added. */
export function toAddedApp(
  context: UserContext,
  recipe: Recipe,
  { id, name, url, secret }: AddedApp,
): Extract<PageData["app"], { readonly kind: "added" }> {
  const { issuer = "" } = toShownClient(context, id);
  const filled = fillRecipe(recipe, { url, issuer, clientId: id, clientSecret: secret });
  const [way] = filled.ways;
  const places = way.enter.map((entry) => ({
    title: formatPlace(entry),
    fields: "page" in entry ? Object.entries(entry.fields) : [],
    text: listLines(entry).join("\n"),
  }));
  return { kind: "added", id, name, secret, places, advice: listAdvice(filled, way) };
}

interface AddedApp {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly secret: string | undefined;
}

/** Lists the groups that accounts or apps have, and that the form for an app offers. */
async function listAllGroups({ rules }: Context, apps: Apps): Promise<readonly string[]> {
  const ofAccounts = await rules.store.people.listGroups();
  const ofApps = apps.all.flatMap(({ groups = [] }) => groups);
  return [...new Set([...ofAccounts, ...ofApps])].sort();
}

/** Shows one app: `/account/apps/photos`. */
export async function getApp(context: UserContext): Promise<Answer> {
  const { views, request, paths } = context;
  const id = request.path.slice(paths.apps.length + 1);
  const data = await readAppData(context, id);
  if (data === undefined) {
    // A browser that reloads a form problem asks for the path of the form.
    const isForm = [...APP_FORMS, REVOKE_CONSENT].some((name) => name === id);
    return isForm ? redirect(paths.apps) : views.error(context, 404, "noSuchPage");
  }
  const { notice, cookies } = takeNotice(request);
  return views.page(context, "app", { ...data, notice }, { cookies });
}

/** Reads the data of the page of an app. Returns `undefined` if the app does not exist. */
export async function readAppData(
  context: Context,
  id: string,
): Promise<Extract<PageData["app"], { readonly kind: "app" }> | undefined> {
  const { rules, views, request, oidc, paths } = context;
  const { store, clock } = rules;
  const app = await store.apps.find(id);
  if (app === undefined) return undefined;
  const locale = views.locale(request);
  const now = new Date(clock.now());
  const [apps, secrets, signOuts, admitted, uses] = await Promise.all([
    rules.appDirectory.read(),
    store.apps.listSecrets(id),
    readSignOuts(context, id, locale),
    store.people.countAdmitted(app.groups ?? [], now),
    readAppUses(rules, app),
  ]);
  return {
    kind: "app",
    app: toListedApp(app, apps, paths.base),
    url: app.url,
    form: toFormValues(app),
    groups: await listAllGroups(context, apps),
    admitted,
    offersOidc: oidc !== undefined,
    client: app.clientType === undefined ? undefined : toShownClient(context, id),
    secrets: secrets.map(({ id: secretId, ending, createdAt }) => ({
      id: secretId,
      ending,
      ...formatTime(locale, createdAt),
    })),
    hasSecrets: app.clientType === "confidential",
    refusedUri: uses.refusedUri,
    signOuts,
    ...showUses(locale, app, uses, now),
  };
}

/** Returns what the page of an app shows of its uses. */
function showUses(
  locale: Locale,
  app: App,
  { opened, refused, days }: AppUses,
  now: Date,
): Pick<Extract<PageData["app"], { readonly kind: "app" }>, "week" | "opened" | "refused"> {
  const { people, days: week } = sumUpWeek(days, now);
  const groups = listEntryGroups(app);
  return {
    week: {
      count: week.reduce((sum, { count }) => sum + count, 0),
      people,
      days: week.map(({ day, count }) => ({ label: formatDate(locale, day).utc, count })),
    },
    opened: opened.map(({ use, user }) => ({
      username: shortenText(user.username),
      isGuest: toPublicUser(user).guest === true,
      device: formatDevice(locale, use.device ?? ""),
      ...formatTime(locale, use.openedAt ?? now),
    })),
    refused: refused.map(({ use, user }) => ({
      userId: user.id,
      username: shortenText(user.username),
      groups,
      needsAdmin: groups.length === 0 && app.groups?.includes(ADMINS) === true,
      ...formatTime(locale, use.refusedAt),
    })),
  };
}

/** Returns what an administrator enters in an app. */
export function toShownClient({ options }: Context, id: string): ShownClient {
  const { publicUrl } = options.hosts;
  const discoveryUrl = publicUrl && publicUrl + OIDC_DISCOVERY;
  return { clientId: id, issuer: publicUrl, discoveryUrl };
}

async function readSignOuts(
  { rules }: Context,
  appId: string,
  locale: Locale,
): Promise<readonly ShownSignOut[]> {
  const { store } = rules;
  const signOuts = await store.signOuts.list({ appId }, MAX_SIGN_OUTS);
  const ids = [...new Set(signOuts.map(({ userId }) => userId))];
  const users = await Promise.all(ids.map((id) => store.users.find(id)));
  const nameOf = (id: UserId): string => users.find((user) => user?.id === id)?.username ?? id;
  return signOuts.map((signOut) => toShownSignOut(locale, signOut, nameOf(signOut.userId)));
}

const toListedApp = (app: App, apps: Apps, basePath: string): ListedApp => ({
  ...toShownApp(app, apps, basePath),
  id: app.id,
  host: app.url && new URL(app.url).host,
  groups: app.groups ?? [],
  needsFactor: app.factors === 2,
  usesOidc: app.clientType !== undefined,
  isOff: app.off !== undefined,
});

const toFormValues = (app: App): AppFormValues => ({
  name: app.name,
  id: app.id,
  url: app.url ?? "",
  who: app.groups === undefined ? "everyone" : "groups",
  groups: app.groups?.join(",") ?? "",
  new_group: "",
  factor: app.factors === 2 ? "1" : "",
  redirects: splitList(app.redirects).join("\n"),
  section: app.section ?? "",
  upstream: app.upstream ?? "",
  sign_out_redirects: splitList(app.signOutRedirects).join("\n"),
  backchannel: app.backchannelUrl ?? "",
  public: app.clientType === "public" ? "1" : "",
  consent: app.consent === undefined ? "" : "1",
  signing: app.signing ?? "RS256",
});
