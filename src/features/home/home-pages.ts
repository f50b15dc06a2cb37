import { type Answer, redirect } from "../../http/responses.ts";
import type { UserContext } from "../context.ts";

/**
 * Leads on to the first page of the user: the apps of a gate, or else the account. Sign-ins return
 * to the home path, so that bookmarks and the post-login location stay valid. The notice of a form
 * is left for the page that follows.
 */
export function getHome({ paths }: UserContext): Answer {
  return redirect(paths.launcher ?? paths.account?.profile ?? paths.login);
}

/** Leads on to the account, also on a host whose other paths belong to an app. */
export function getAccount({ paths }: UserContext): Answer {
  return redirect(paths.account?.profile ?? paths.login);
}
