import type { User } from "../db/records.ts";
import { isAdmin } from "../identity/groups.ts";
import type { AccountPage, AdminPage, Navigation, NavigationLink } from "../pages/page-data.ts";
import type { WebOptions } from "./options.ts";
import type { AccountPaths, Paths } from "./paths.ts";

type AccountOptions = Pick<WebOptions, "sessions" | "guards" | "oidc"> & {
  readonly hosts: Pick<WebOptions["hosts"], "publicUrl">;
};

/**
 * Creates the function that lists the pages that a signed-in user can open. A guest has no account
 * pages, and a user who must first turn on a second factor has only the page to do so.
 */
export function createNavigation(
  options: AccountOptions & Pick<WebOptions, "people">,
  paths: Paths,
): (user: User, lacksFactor: boolean) => Navigation {
  const { launcher } = paths;
  const account = paths.account === undefined ? [] : listAccountPages(options, paths.account);
  const admin = options.people ? listAdminPages(paths) : [];
  const ofGuest: Navigation = { launcher, account: [], admin: [] };
  const ofUser: Navigation = { launcher, account, admin: [] };
  const ofAdmin: Navigation = { launcher, account, admin };
  const enrolling = account.filter(({ page }) => page === "signInMethods");
  const whileEnrolling: Navigation = { launcher: undefined, account: enrolling, admin: [] };
  return (user, lacksFactor) => {
    if (lacksFactor) return whileEnrolling;
    if (user.guest === true) return ofGuest;
    return isAdmin(user) ? ofAdmin : ofUser;
  };
}

/** Lists the pages of the account that exist with these options, in the order of the navigation. */
export function listAccountPages(
  { sessions, guards, oidc, hosts }: AccountOptions,
  paths: AccountPaths,
): readonly NavigationLink<AccountPage>[] {
  const exists: Readonly<Record<AccountPage, boolean>> = {
    profile: true,
    signInMethods: true,
    devices: sessions.list,
    // Apps find OpenID Connect at the public URL.
    access: oidc !== undefined && hosts.publicUrl !== undefined,
    keys: guards.keys,
    history: true,
  };
  return (Object.keys(paths) as AccountPage[])
    .filter((page) => exists[page])
    .map((page) => ({ page, path: paths[page] }));
}

function listAdminPages(paths: Paths): readonly NavigationLink<AdminPage>[] {
  const { apps, people, links, activity } = paths;
  return Object.entries({ apps, people, links, activity }).map(([page, path]) => ({
    page: page as AdminPage,
    path,
  }));
}
