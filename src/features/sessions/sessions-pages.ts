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
import type { SessionSection } from "../../pages/page-data.ts";
import { formatDevice, formatTime, type Locale } from "../../pages/words.ts";
import { forgetDevice, listDevices } from "../codes/remembered-devices.ts";
import type { Context, UserContext } from "../context.ts";
import { type NoticeAndCookies, redirectToSection } from "../redirects.ts";
import { endOtherSessions, endSession, listSessions } from "./manage-sessions.ts";
import { signOut } from "./sign-out.ts";

/**
 * Without it, the back button after a sign-out shows an app's page from the browser's cache. Browsers
 * ignore it over plain HTTP, except on loopback.
 */
const CLEAR_CACHE = { "Clear-Site-Data": '"cache"' };

/** The value of the field `session` for all sessions but that of the request. */
const OTHERS = "others";
/** The same for all sessions. */
const ALL = "all";

/** The cookie is cleared even if the session cannot be ended yet, which the sign-in page then says. */
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
 * A session that is not the user's own, or that has ended already, gets the same redirect. The
 * redirect of a user who has ended this session leads to the sign-in.
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
    // Without a token that continues, this session ends as well.
    await endOtherSessions(rules, user, undefined, client);
    return postLogout(context);
  }
  const isEnded = (await endSession(rules, user, session, client)) === "ended";
  return redirectBack(isEnded ? { notice: "sessionIsEnded" } : {});
}

/** Ends all sessions but that of the request, and returns the cookies with which it continues. */
export async function endOthers(context: UserContext): Promise<readonly string[]> {
  const { rules, options, request, user, client } = context;
  if (!options.sessions.list) return [];
  const current = readSession(rules, request);
  const token = await endOtherSessions(rules, user, current, client);
  return token === undefined
    ? []
    : createSessionCookies(request, token, options.hosts.cookieDomain);
}

export async function readSessionSection(
  { rules, options, request, user, client }: UserContext,
  locale: Locale,
): Promise<SessionSection> {
  if (!options.sessions.list) return { kind: "none" };
  const current = readSession(rules, request);
  const { sessions, hasMore, currentId } = await listSessions(rules, current, client);
  const devices = options.signIn.rememberDevice ? await listDevices(rules, user.id) : [];
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
