import type { App, UserId } from "../../db/records.ts";
import { takeNotice } from "../../http/notice.ts";
import { APP_FORMS, OIDC_DISCOVERY, REVOKE_CONSENT } from "../../http/paths.ts";
import { type Answer, redirect } from "../../http/responses.ts";
import type {
  AppFormValues,
  ListedApp,
  PageData,
  ShownClient,
  ShownSignOut,
} from "../../pages/page-data.ts";
import { formatTime, type Locale } from "../../pages/words.ts";
import type { Context, UserContext } from "../context.ts";
import type { Apps } from "./app-directory.ts";
import { splitList } from "./app-fields.ts";
import { toShownApp } from "./app-icon-pages.ts";
import { toShownSignOut } from "./consents-pages.ts";

const MAX_SIGN_OUTS = 10;

/** Contains the form for a new app before anything is entered. */
const EMPTY_FORM: AppFormValues = {
  name: "",
  id: "",
  url: "",
  groups: "",
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

/** Shows all apps. */
export async function getApps(context: UserContext): Promise<Answer> {
  const { views, request } = context;
  const { notice, cookies } = takeNotice(request);
  const data = { ...(await readAppsData(context)), notice };
  return views.page(context, "apps", data, { cookies });
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

export async function readAppsData({ rules, oidc, paths }: Context): Promise<PageData["apps"]> {
  const apps = await rules.appDirectory.read();
  return {
    apps: apps.all
      .map((app) => toListedApp(app, apps, paths.base))
      .sort((first, second) => (first.name.toLowerCase() < second.name.toLowerCase() ? -1 : 1)),
    form: EMPTY_FORM,
    offersOidc: oidc !== undefined,
  };
}

/** Reads the data of the page of an app. Returns `undefined` if the app does not exist. */
export async function readAppData(
  context: Context,
  id: string,
): Promise<Extract<PageData["app"], { readonly kind: "app" }> | undefined> {
  const { rules, views, request, oidc, paths } = context;
  const { store } = rules;
  const app = await store.apps.find(id);
  if (app === undefined) return undefined;
  const locale = views.locale(request);
  const [apps, secrets, signOuts] = await Promise.all([
    rules.appDirectory.read(),
    store.apps.listSecrets(id),
    readSignOuts(context, id, locale),
  ]);
  return {
    kind: "app",
    app: toListedApp(app, apps, paths.base),
    url: app.url,
    form: toFormValues(app),
    offersOidc: oidc !== undefined,
    client: app.clientType === undefined ? undefined : toShownClient(context, id),
    secrets: secrets.map(({ createdAt }) => formatTime(locale, createdAt)),
    hasSecrets: app.clientType === "confidential",
    signOuts,
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
});

const toFormValues = (app: App): AppFormValues => ({
  name: app.name,
  id: app.id,
  url: app.url ?? "",
  groups: app.groups?.join(", ") ?? "",
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
