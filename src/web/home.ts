import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import { recoveryCodesLeft } from "../core/codes/code-state.ts";
import { eventIn } from "../core/events.ts";
import { messageOf } from "../core/fault.ts";
import type { LogEntry } from "../core/log-reader.ts";
import type { Extras, UserId } from "../core/store.ts";
import type { SignedIn } from "./guards.ts";
import type { Activity, ActivityEntry, CodesSection, HomeProblem } from "./pages/page-data.ts";
import { utcIn } from "./pages/utc-time.ts";
import type { MessageName } from "./pages/words/en.ts";
import { type Locale, wordsIn } from "./pages/words.ts";
import { passkeySection } from "./passkeys-offered.ts";
import type { WebPorts } from "./ports.ts";
import { requestInfoOf } from "./request/request-info.ts";
import { isOverTls } from "./session-cookie.ts";
import { sessionsFor } from "./sessions.ts";

export async function getHome(ports: WebPorts, c: Context<SignedIn>): Promise<Response> {
  const isChanged = getCookie(c, noticeName(c)) === PASSWORD_CHANGED;
  const notice = isChanged ? PASSWORD_CHANGED : undefined;
  const cookies = isChanged ? [noticeLine(ports, c, "", -1)] : [];
  const { info, data } = await homeOf(ports, c);
  return ports.views.page(info, "home", { ...data, notice }, cookies);
}

/** Shows the home page with what only the response to a form may show. */
export async function homeWithCodes(
  ports: WebPorts,
  c: Context<SignedIn>,
  codes: CodesSection,
): Promise<Response> {
  const { info, data } = await homeOf(ports, c, codes);
  return ports.views.page(info, "home", data);
}

/** Shows the home page again with a problem of one of its forms. */
export async function homeWithProblem<Form extends HomeProblem["form"]>(
  ports: WebPorts,
  c: Context<SignedIn>,
  form: Form,
  name: MessageName,
  fields: Extract<HomeProblem, { form: Form }>["fields"],
  codes?: CodesSection,
): Promise<Response> {
  const { info, data } = await homeOf(ports, c, codes);
  const { [name]: message } = wordsIn(ports.views.locale(info)).messages;
  const problem = { form, message, fields } as HomeProblem;
  return ports.views.formProblem(info, 422, "home", { ...data, problem });
}

/** The home page in its usual state, apart from what is given. */
async function homeOf(ports: WebPorts, c: Context<SignedIn>, codes?: CodesSection) {
  const info = { ...requestInfoOf(c), user: c.var.user };
  const locale = ports.views.locale(info);
  const [activity, sessions, extras] = await Promise.all([
    activityFor(ports, locale),
    sessionsFor(ports, c, locale),
    extrasFor(ports, c.var.user.id),
  ]);
  const data = {
    notice: undefined,
    problem: undefined,
    activity,
    sessions,
    codes: codes ?? codesSection(ports, extras),
    passkeys: passkeySection(ports, c, locale, extras),
  };
  return { info, data };
}

/** Read from the store, since another instance may have changed them a moment ago. */
async function extrasFor({ rules, options }: WebPorts, userId: UserId): Promise<Extras> {
  if (rules.codes === undefined && rules.passkeys === undefined) return {};
  return (await options.store.findUser(userId)) ?? {};
}

function codesSection({ rules }: WebPorts, { codes }: Extras): CodesSection {
  if (rules.codes === undefined) return { kind: "none" };
  if (codes === undefined) return { kind: "off" };
  return { kind: "on", recoveryCodesLeft: recoveryCodesLeft(codes) };
}

/** If the log cannot be read, the page still offers the password form. */
async function activityFor({ rules, requests }: WebPorts, locale: Locale): Promise<Activity> {
  if (rules.recentLog === undefined) return { kind: "none" };
  try {
    return { kind: "entries", entries: activityIn(locale, await rules.recentLog()) };
  } catch (error) {
    requests.log.error({ reason: messageOf(error) }, "the log cannot be read for the home page");
    return { kind: "unreadable" };
  }
}

/** Log entries in the reader's language. An entry of an unknown type keeps its summary. */
export function activityIn(locale: Locale, entries: readonly LogEntry[]): readonly ActivityEntry[] {
  const { events } = wordsIn(locale);
  return entries.map((entry) => {
    const event = eventIn(entry);
    return {
      text: event === undefined ? entry.summary : events[event.type](event.subject),
      at: entry.at.toISOString(),
      utc: utcIn(locale, entry.at),
    };
  });
}

const NOTICE = "latchkey-notice";
const PASSWORD_CHANGED = "password-changed";

/** Long enough for the reload, and too short to show the notice for an old change. */
const SHOWN_WITHIN_SECONDS = 60;

/** The Set-Cookie line that makes the home page show that the password was changed. */
export const passwordChangedNotice = (ports: WebPorts, c: Context): string =>
  noticeLine(ports, c, PASSWORD_CHANGED, SHOWN_WITHIN_SECONDS);

/** Browsers accept a `__Host-` cookie only from this host, and only over TLS. */
const noticeName = (c: Context): string => (isOverTls(c) ? `__Host-${NOTICE}` : NOTICE);

function noticeLine({ paths }: WebPorts, c: Context, value: string, maxAge: number): string {
  const place = isOverTls(c) ? "Path=/; Secure" : `Path=${paths.home}`;
  return `${noticeName(c)}=${value}; ${place}; HttpOnly; SameSite=Lax; Max-Age=${maxAge}`;
}
