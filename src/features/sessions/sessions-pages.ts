import type { Form } from "../../http/form.ts";
import { createNoticeCookie } from "../../http/notice.ts";
import { getRequestKind } from "../../http/request-kind.ts";
import { type Answer, type Headers, redirect } from "../../http/responses.ts";
import {
  clearSessionCookies,
  createSessionCookies,
  readSession,
  readSessionTokens,
} from "../../http/session-cookie.ts";
import type { PageData } from "../../pages/page-data.ts";
import { formatDevice, formatTime } from "../../pages/words.ts";
import { forgetDevice, listDevices } from "../codes/remembered-devices.ts";
import type { Context, UserContext } from "../context.ts";
import { type NoticeAndCookies, redirectToAccount } from "../redirects.ts";
import { showPage } from "../show-page.ts";
import { endOtherSessions, endSession, listSessions } from "./manage-sessions.ts";
import { signOut } from "./sign-out.ts";

/**
 * Without this header, the back button after a sign-out shows an app's page from the browser's
 * cache. Browsers ignore the header over plain HTTP, except on loopback.
 */
const CLEAR_CACHE = { "Clear-Site-Data": '"cache"' };

/** With this value, the field `session` means all sessions except the current one. */
const OTHERS = "others";
/** With this value, the field `session` means all sessions. */
const ALL = "all";

/**
 * Signs out. The cookie is cleared even if the session cannot be ended yet; the sign-in page then
 * says so.
 */
export async function postLogout(context: Context): Promise<Answer> {
  const { paths, request } = context;
  const { outcome, cookies, headers } = await signOutBrowser(context);
  const notice = outcome === "ended" ? "signedOut" : "sessionNotEnded";
  const isShown = outcome !== "ended" || getRequestKind(request.method, request) === "form";
  const notices = isShown ? [createNoticeCookie(request, notice)] : [];
  return redirect(paths.login, [...cookies, ...notices], headers);
}

/** Ends the sessions of the browser. Returns what the response must contain in any case. */
export async function signOutBrowser({ rules, options, request, client }: Context): Promise<{
  readonly outcome: "ended" | "not-ended";
  readonly cookies: readonly string[];
  readonly headers: Headers;
}> {
  const outcome = await signOut(rules, readSessionTokens(request.header("cookie")), client);
  return {
    outcome,
    cookies: clearSessionCookies(options.hosts.cookieDomain),
    headers: CLEAR_CACHE,
  };
}

/**
 * Ends a session. A session that has already ended, or that belongs to another user, gets the same
 * redirect. A user who ends the current session is redirected to the sign-in.
 */
export async function postEndSession(context: UserContext, form: Form): Promise<Answer> {
  const { rules, options, user, client } = context;
  const [session, device] = [form("session"), form("device")];
  const redirectBack = (extras: NoticeAndCookies) => redirectToAccount("devices", context, extras);
  if (session === OTHERS) {
    return redirectBack({ notice: "othersAreEnded", cookies: await endOthers(context) });
  }
  if (device !== "") {
    if (!options.signIn.rememberDevice) return redirectBack({});
    const outcome = await forgetDevice(rules, user, device, client);
    return redirectBack(outcome === "forgotten" ? { notice: "deviceIsForgotten" } : {});
  }
  if (session === ALL) {
    // No new token continues the current session, so it ends as well.
    await endOtherSessions(rules, user, undefined, client);
    return postLogout(context);
  }
  const isEnded = (await endSession(rules, user, session, client)) === "ended";
  return redirectBack(isEnded ? { notice: "sessionIsEnded" } : {});
}

/**
 * Ends all sessions except the current one, and returns the cookies that continue the current one.
 */
export async function endOthers(context: UserContext): Promise<readonly string[]> {
  const { rules, options, request, user, client } = context;
  if (!options.sessions.list) return [];
  const current = readSession(rules, request);
  const token = await endOtherSessions(rules, user, current, client);
  return token === undefined
    ? []
    : createSessionCookies(request, token, options.hosts.cookieDomain);
}

/** Shows the user's sessions, and the devices that need no code. */
export async function getDevices(context: UserContext): Promise<Answer> {
  return showPage(context, "devices", await readDevicesData(context));
}

async function readDevicesData({
  rules,
  options,
  views,
  request,
  user,
  client,
}: UserContext): Promise<PageData["devices"]> {
  const locale = views.locale(request);
  const current = readSession(rules, request);
  const [{ sessions, hasMore, currentId }, devices] = await Promise.all([
    listSessions(rules, current, client),
    options.signIn.rememberDevice ? listDevices(rules, user.id) : [],
  ]);
  return {
    devices: devices.map(({ id, device, createdAt }) => ({
      id,
      device: formatDevice(locale, device),
      ...formatTime(locale, createdAt),
    })),
    count: `${sessions.length}${hasMore ? "+" : ""}`,
    sessions: sessions.map((session) => ({
      id: session.id,
      device: formatDevice(locale, session.device),
      address: session.address,
      isCurrent: session.id === currentId,
      host: session.host,
      ...formatTime(locale, session.usedAt),
    })),
  };
}
