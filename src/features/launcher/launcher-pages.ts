import { createLaterCookie, hasLaterCookie } from "../../http/later-cookie.ts";
import { type Answer, redirect } from "../../http/responses.ts";
import { readSession } from "../../http/session-cookie.ts";
import { getParameter, type WebRequest } from "../../http/web-request.ts";
import { isAdmin } from "../../identity/groups.ts";
import type { PageData } from "../../pages/page-data.ts";
import { formatDate, getCollator, type ShownTime } from "../../pages/words.ts";
import type { Apps } from "../apps/app-directory.ts";
import { toShownApp } from "../apps/app-icon-pages.ts";
import type { UserContext } from "../context.ts";
import { getRelyingParty } from "../relying-party.ts";
import { showPage } from "../show-page.ts";
import { createSearch, listLauncherApps, type OpenableApp } from "./list-launcher-apps.ts";

/** With more apps, the page offers a search. */
const MAX_APPS_WITHOUT_SEARCH = 8;
/** A longer search finds nothing that its beginning does not find. */
const MAX_SEARCH = 100;

/** Shows the apps that the person may open, also a guest. */
export async function getLauncher(context: UserContext): Promise<Answer> {
  const { rules, user, paths, request, views } = context;
  const apps = await rules.appDirectory.read();
  const openable = listLauncherApps(apps.all, user, getCollator(views.locale(request)));
  const count = openable.reduce((sum, section) => sum + section.apps.length, 0);
  const search = count > MAX_APPS_WITHOUT_SEARCH ? readSearch(request) : undefined;
  const isFound = search ? createSearch(search) : () => true;
  const sections = openable.map(({ name, apps: inSection }) => ({
    name,
    apps: inSection.map((entry) => {
      const tile = getTile(entry, apps, paths.base);
      return isFound(entry) ? tile : { ...tile, isFound: false };
    }),
  }));
  const [suggestsPasskey, firstSteps, guestEnd] = await Promise.all([
    lacksPasskey(context),
    apps.all.length === 0 ? readFirstSteps(context) : undefined,
    user.guest === true ? readGuestEnd(context) : undefined,
  ]);
  return showPage(context, "launcher", {
    sections,
    search,
    suggestsPasskey,
    firstSteps,
    guestEnd,
  });
}

type Tile = PageData["launcher"]["sections"][number]["apps"][number];

/** The entries stay the same until the directory is read again, with the icons. */
const tiles = new WeakMap<OpenableApp, Tile>();

/** Returns the tile of an app that the search finds. */
function getTile(entry: OpenableApp, apps: Apps, basePath: string): Tile {
  const known = tiles.get(entry);
  if (known !== undefined) return known;
  const { app, url, host } = entry;
  const shown = toShownApp(app, apps, basePath);
  const tile = { ...shown, url, host, needsFactor: app.factors === 2, isFound: true };
  tiles.set(entry, tile);
  return tile;
}

const readSearch = (request: WebRequest): string =>
  (getParameter(request, "q") ?? "").slice(0, MAX_SEARCH).toWellFormed().trim();

/**
 * Returns whether the page suggests a passkey: one can be added here, the account has none, and the
 * person has not put the suggestion off in this browser, which is known without a query.
 */
async function lacksPasskey(context: UserContext): Promise<boolean> {
  const { options, paths, rules, request, user } = context;
  if (!options.signIn.passkeys || paths.account === undefined || user.guest === true) return false;
  if (hasLaterCookie(request) || getRelyingParty(context) === undefined) return false;
  if (!(await rules.anyFactor.passkeys.read())) return true;
  return (await rules.store.passkeys.listOf(user.id)).length === 0;
}

/** Puts off the suggestion of a passkey in this browser. */
export const postPasskeyLater = ({ paths, request }: UserContext): Answer =>
  redirect(paths.launcher ?? paths.login, [createLaterCookie(request)]);

/** Reads what an administrator can do before there is any app. */
async function readFirstSteps({
  options,
  rules,
  user,
}: UserContext): Promise<PageData["launcher"]["firstSteps"]> {
  if (!options.people || !isAdmin(user)) return undefined;
  const { users, kind } = rules.store;
  const [, second] = await users.read("", 2);
  const backupCommand =
    kind === "sqlite"
      ? "latchkey backup latchkey-backup.db"
      : 'pg_dump "$DATABASE_URL" > latchkey-backup.sql';
  return { hasOtherAccounts: second !== undefined, backupCommand };
}

/** Reads when the guest's session ends, or the account if it ends earlier. */
async function readGuestEnd({
  rules,
  views,
  request,
  user,
}: UserContext): Promise<ShownTime | undefined> {
  const account = await rules.store.users.find(user.id);
  const ends = [readSession(rules, request)?.expiresAt, account?.endsAt?.getTime()];
  const end = Math.min(...ends.filter((at) => at !== undefined));
  return Number.isFinite(end) ? formatDate(views.locale(request), new Date(end)) : undefined;
}
