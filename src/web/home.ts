import type { Context } from "hono";
import { messageOf } from "../core/fault.ts";
import type { LogEntry } from "../core/log-reader.ts";
import type { ServerLog } from "../core/server-log.ts";
import type { SignedIn } from "./guards.ts";
import { clearedNotice, noticeIn } from "./notice.ts";
import { activityIn } from "./pages/activity.ts";
import type { Activity, PageData } from "./pages/page-data.ts";
import type { Locale } from "./pages/words.ts";
import { visitOf } from "./request/visit.ts";
import type { Views } from "./views.ts";

export interface HomePorts {
  readonly views: Views;
  /** The newest log entries, newest first; `undefined` where the store cannot read them. */
  readonly recentLog: (() => Promise<readonly LogEntry[]>) | undefined;
  readonly log: ServerLog;
}

export async function getHome(
  ports: HomePorts,
  c: Context<SignedIn>,
  path: string,
): Promise<Response> {
  const visit = { ...visitOf(c), user: c.var.user };
  const notice = noticeIn(c);
  const activity = await activityFor(ports, ports.views.locale(visit));
  const data = { activity, notice, problem: undefined };
  const cookies = notice === undefined ? [] : [clearedNotice(c, path)];
  return ports.views.page(visit, "home", data, cookies);
}

/** The page with the password form again, and on it what is wrong with what came. */
export async function homeWithProblem(
  ports: HomePorts,
  c: Context<SignedIn>,
  problem: NonNullable<PageData["home"]["problem"]>,
): Promise<Response> {
  const visit = { ...visitOf(c), user: c.var.user };
  const activity = await activityFor(ports, ports.views.locale(visit));
  return ports.views.refused(visit, 422, "home", { activity, notice: undefined, problem });
}

/** A log that cannot be read keeps nobody from changing the password. */
async function activityFor({ recentLog, log }: HomePorts, locale: Locale): Promise<Activity> {
  if (recentLog === undefined) return { kind: "none" };
  try {
    return { kind: "entries", entries: activityIn(locale, await recentLog()) };
  } catch (error) {
    log.error({ reason: messageOf(error) }, "the log cannot be read for the home page");
    return { kind: "unreadable" };
  }
}
