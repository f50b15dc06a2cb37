import type { App, User } from "../../db/records.ts";
import { admitsUser, type Lists } from "../../identity/admits-user.ts";
import type { Factors } from "../../identity/session-token.ts";
import { findAppAtPath } from "../apps/app-at-path.ts";
import { type Apps, type AppVerdict, judgeUser } from "../apps/app-directory.ts";

/**
 * Says why the app of a request is unknown: no app has the host, or the name of the host is not
 * certain.
 */
export type UnknownAppProblem = "no-app" | "host-unreadable";

/** Without an app, the query alone decides. */
export const NO_APPS: readonly App[] = [];

/**
 * Finds the apps at the requested host. A host without a certain name is refused as soon as any app
 * has a host: it may be the host of an app whose groups would then not count.
 *
 * @param needsApp refuses hosts without an app.
 * @param readPath returns the requested path and query if a trusted proxy has sent them.
 */
export function findRequestedApps(
  apps: Apps,
  needsApp: boolean,
  readHostName: () => string | undefined,
  readPath: () => string | undefined,
): readonly App[] | UnknownAppProblem {
  if (!apps.anyHasHost && !needsApp) return NO_APPS;
  const host = readHostName();
  if (host === undefined) return "host-unreadable";
  const found = apps.listByHost(host);
  if (found.length === 0) return needsApp ? "no-app" : found;
  return found.length > 1 ? limitTurnedOff(found, readPath) : found;
}

/**
 * Of several apps at one host, one that is turned off refuses only requests for its own path, and
 * those that are not certainly for another app. Its groups and its factor count as before, so that
 * turning it off admits nobody.
 */
function limitTurnedOff(found: readonly App[], readPath: () => string | undefined): readonly App[] {
  if (found.every(({ off }) => off === undefined)) return found;
  const [path = ""] = readPath()?.split("?") ?? [];
  const asked = findAppAtPath(found, path);
  if (asked === undefined || asked.off !== undefined) return found;
  return found.map(({ off: _, ...app }) => app);
}

/**
 * Decides whether a user may open all of these apps. Lists and factors of the proxy must hold as
 * well. Without an app, they decide alone.
 */
export function judgeRequest(
  apps: readonly App[],
  required: Lists & { readonly factors: Factors },
  user: User,
  factors: Factors,
): AppVerdict {
  const hasLists = required.users.length > 0 || required.groups.length > 0;
  if ((apps.length === 0 || hasLists) && !admitsUser(required, user)) return "excluded";
  let verdict: AppVerdict = factors >= required.factors ? "admitted" : "factor-unproven";
  for (const app of apps) {
    const byApp = judgeUser(app, user, factors);
    if (byApp === "excluded") return byApp;
    if (byApp === "factor-unproven") verdict = byApp;
  }
  return verdict;
}
