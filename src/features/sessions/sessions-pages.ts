import type { Form } from "../../http/form.ts";
import { createNoticeCookie } from "../../http/notice.ts";
import { getRequestKind } from "../../http/request-kind.ts";
import { type Answer, redirect } from "../../http/responses.ts";
import {
  clearSessionCookies,
  createSessionCookies,
  readSession,
  readSessionTokens,
} from "../../http/session-cookie.ts";
import type { CodesSection, SessionSection } from "../../pages/page-data.ts";
import { formatDevice, formatTime, type Locale } from "../../pages/words.ts";
import { forgetDevice, listDevices } from "../codes/remembered-devices.ts";
import type { Context, UserContext } from "../context.ts";
import { type NoticeAndCookies, redirectToSection } from "../redirects.ts";
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
  const { rules, options, paths, request, client } = context;
  const outcome = await signOut(rules, readSessionTokens(request.header("cookie")), client);
  const notice = outcome === "ended" ? "signedOut" : "sessionNotEnded";
  const isShown = outcome !== "ended" || getRequestKind(request.method, request) === "form";
  const notices = isShown ? [createNoticeCookie(request, notice)] : [];
  const cookies = [...clearSessionCookies(options.hosts.cookieDomain), ...notices];
  return redirect(paths.login, cookies, CLEAR_CACHE);
}

/**
 * Ends a session. A session that has already ended, or that belongs to another user, gets the same
 * redirect. A user who ends the current session is redirected to the sign-in.
 */
export async function postEndSession(context: UserContext, form: Form): Promise<Answer> {
  const { rules, options, user, client } = context;
  const [session, device] = [form("session"), form("device")];
  const redirectBack = (extras: NoticeAndCookies) => redirectToSection("sessions", context, extras);
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

/** @param codes Without codes, an account has no remembered devices, so none are queried. */
export async function readSessionSection(
  { rules, options, request, user, client }: UserContext,
  locale: Locale,
  codes: CodesSection["kind"],
): Promise<SessionSection> {
  if (!options.sessions.list) return { kind: "none" };
  const current = readSession(rules, request);
  const { sessions, hasMore, currentId } = await listSessions(rules, current, client);
  const hasDevices = options.signIn.rememberDevice && codes !== "off";
  const devices = hasDevices ? await listDevices(rules, user.id) : [];
  return {
    kind: "sessions",
    devices: devices.map(({ id, device, createdAt }) => ({
      ...{ id, device: formatDevice(locale, device) },
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
