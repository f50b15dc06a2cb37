import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import { messageOf } from "../core/fault.ts";
import type { SignedIn } from "./guards.ts";
import { activityIn } from "./pages/activity.ts";
import type { Activity, PageData } from "./pages/page-data.ts";
import type { Locale } from "./pages/words.ts";
import type { WebPorts } from "./ports.ts";
import { requestInfoOf } from "./request/request-info.ts";
import { isOverTls } from "./session-cookie.ts";

export async function getHome(
  ports: WebPorts,
  c: Context<SignedIn>,
  path: string,
): Promise<Response> {
  const info = { ...requestInfoOf(c), user: c.var.user };
  const notice = readNotice(c);
  const activity = await activityFor(ports, ports.views.locale(info));
  const data = { activity, notice, problem: undefined };
  const cookies = notice === undefined ? [] : [clearedNotice(c, path)];
  return ports.views.page(info, "home", data, cookies);
}

/** Shows the home page again with a problem of the password form. */
export async function homeWithProblem(
  ports: WebPorts,
  c: Context<SignedIn>,
  problem: NonNullable<PageData["home"]["problem"]>,
): Promise<Response> {
  const info = { ...requestInfoOf(c), user: c.var.user };
  const activity = await activityFor(ports, ports.views.locale(info));
  return ports.views.formProblem(info, 422, "home", { activity, notice: undefined, problem });
}

/** If the log cannot be read, the page still offers the password form. */
async function activityFor({ recentLog, log }: WebPorts, locale: Locale): Promise<Activity> {
  if (recentLog === undefined) return { kind: "none" };
  try {
    return { kind: "entries", entries: activityIn(locale, await recentLog()) };
  } catch (error) {
    log.error({ reason: messageOf(error) }, "the log cannot be read for the home page");
    return { kind: "unreadable" };
  }
}

const NOTICE = "latchkey-notice";
const PASSWORD_CHANGED = "password-changed";

/** Long enough for the reload, and too short to show the notice for an old change. */
const SHOWN_WITHIN_SECONDS = 60;

/** The Set-Cookie line that makes the page at this path show that the password was changed. */
export const passwordChangedNotice = (c: Context, path: string): string =>
  noticeLine(c, path, PASSWORD_CHANGED, SHOWN_WITHIN_SECONDS);

const clearedNotice = (c: Context, path: string): string => noticeLine(c, path, "", -1);

const readNotice = (c: Context): "password-changed" | undefined =>
  getCookie(c, noticeName(c)) === PASSWORD_CHANGED ? PASSWORD_CHANGED : undefined;

/** Browsers accept a `__Host-` cookie only from this host, and only over TLS. */
const noticeName = (c: Context): string => (isOverTls(c) ? `__Host-${NOTICE}` : NOTICE);

function noticeLine(c: Context, path: string, value: string, maxAge: number): string {
  const place = isOverTls(c) ? "Path=/; Secure" : `Path=${path}`;
  return `${noticeName(c)}=${value}; ${place}; HttpOnly; SameSite=Lax; Max-Age=${maxAge}`;
}
