import { isLocalPath } from "../lib/return-target.ts";
import { APP_FORMS, type Paths, PEOPLE_FORMS, removeQuery } from "./paths.ts";
import { isSameHost } from "./same-origin.ts";
import type { WebRequest } from "./web-request.ts";

/**
 * Returns the path and query of the page that sent the form, if it is on this host. The path that
 * shows a form problem has no GET route, so the page of the form takes its place.
 */
export function findFormPage(
  { password, account }: Paths,
  request: WebRequest,
): string | undefined {
  const referer = request.header("referer");
  if (referer === undefined || !isSameHost(referer, request.header("host"))) return undefined;
  const { pathname, search } = new URL(referer);
  if (pathname === password) return account?.signInMethods;
  const path = `${pathname}${search}`;
  return isLocalPath(path) ? path : undefined;
}

/**
 * Returns the page of links, of an account or of all accounts that sent the form, with its query. If
 * the page is unknown, returns the page of all accounts.
 */
export function findPeoplePage(paths: Paths, request: WebRequest): string {
  const page = findFormPage(paths, request) ?? "";
  const path = removeQuery(page);
  if (path === paths.people || path === paths.links) return page;
  const prefix = `${paths.people}/`;
  // These forms are on the page of links. Their paths show a form problem, and are no pages.
  if (["invite", "revoke"].some((name) => path === prefix + name)) return paths.links;
  const isForm = PEOPLE_FORMS.some((name) => path === prefix + name);
  return path.startsWith(prefix) && !isForm ? page : paths.people;
}

/** Returns the page of an app that sent the form, or else the page of all apps. */
export function findAppPage(paths: Paths, request: WebRequest): string {
  const page = removeQuery(findFormPage(paths, request) ?? "");
  const prefix = `${paths.apps}/`;
  // The path of a form shows a form problem, and is no page otherwise.
  const isForm = APP_FORMS.some((name) => page === prefix + name);
  return page.startsWith(prefix) && !isForm ? page : paths.apps;
}
