import { hashOf, randomText } from "../../core/base/random-text.ts";
import { handOff, takeHandoff } from "../../core/sessions/hand-off.ts";
import { type Answer, redirect } from "../answers/responses.ts";
import { handoffRoot, handoffTarget, RETURN_TO, withReturnTo } from "../answers/return-to.ts";
import { cookieIn, sessionCookies, sessionOf } from "../answers/session-cookie.ts";
import { asksForFactor, FACTOR, signInPath } from "../guards.ts";
import { HANDOFF } from "../paths.ts";
import type { PortsOf, Visit } from "../ports.ts";
import { noteRefusal } from "../request/warnings.ts";
import { parameterOf, type WebRequest } from "../request/web-request.ts";
import { HANDOFF_FAILED } from "./login.ts";

/** Browsers accept it only from the host itself, so no sibling host can choose its value. */
const BEGUN = "__Host-latchkey-handoff";
/** As long as somebody may take to sign in. */
const BEGUN_SECONDS = 3_600;
/** The query parameter with the hash of that cookie. */
const BROWSER = "browser";
const RANDOM_TEXT = /^[\w-]{43}$/;

/**
 * Brings a session to a host of another domain, in three steps: that host begins, the sign-in gives a
 * code, and that host takes it. A step that fails leads to a page where somebody has to click, so
 * that no browser goes in circles.
 */
export async function getHandoff(ports: PortsOf<"sessions">, visit: Visit): Promise<Answer> {
  const { options, request } = visit;
  const root = handoffRoot(options, request);
  const asked = handoffTarget(options, parameterOf(request, RETURN_TO));
  if (root === undefined) return give(ports, visit, asked);
  const target = asked?.origin === root.origin ? asked : root;
  const code = parameterOf(request, "code");
  return code === undefined ? begin(visit, target) : take(ports, visit, code, target);
}

/** An earlier cookie stays, for pages that were opened at the same time. */
function begin({ options, request }: Visit, target: URL): Answer {
  const begun = begunIn(request) ?? randomText();
  const query = new URLSearchParams({ [RETURN_TO]: target.href, [BROWSER]: hashOf(begun) });
  if (asksForFactor(request)) query.set(FACTOR, "2");
  const attributes = `Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${BEGUN_SECONDS}`;
  return redirect(`${options.hosts.publicUrl}${HANDOFF}?${query}`, [
    `${BEGUN}=${begun}; ${attributes}`,
  ]);
}

/** Only what `begin` has made: anyone can ask for a code for the hash of an empty cookie. */
function begunIn(request: WebRequest): string | undefined {
  const value = cookieIn(request.header("cookie"), BEGUN) ?? "";
  return RANDOM_TEXT.test(value) ? value : undefined;
}

async function give(
  ports: PortsOf<"sessions">,
  visit: Visit,
  target: URL | undefined,
): Promise<Answer> {
  const { rules, paths, views, request } = visit;
  if (target === undefined) return views.error(request, 404, "noSuchPage");
  const location = `${target.origin}${HANDOFF}`;
  const browser = parameterOf(request, BROWSER) ?? "";
  if (!RANDOM_TEXT.test(browser)) return redirect(withReturnTo(location, target.href));
  const given = await rules.requireAuth(request.header("cookie"));
  const isUnproven = asksForFactor(request) && "factors" in given && given.factors < 2;
  const admission = isUnproven ? ({ kind: "factor-unproven" } as const) : given;
  if (!("user" in admission)) {
    const path = signInPath(visit, admission, request);
    return redirect(withReturnTo(path, `${request.path}${request.query}`));
  }
  const receiver = { host: target.hostname, browser };
  const session = sessionOf(rules, request);
  if (session === undefined) return redirect(paths.login);
  const code = await handOff(ports, session, receiver);
  if (code === undefined) {
    noteRefusal(visit, request, "handoff refused");
    return views.error(request, 429, "tooManyHandoffs", { "Retry-After": "60" });
  }
  return redirect(withReturnTo(`${location}?code=${code}`, target.href));
}

async function take(
  ports: PortsOf<"sessions">,
  visit: Visit,
  code: string,
  target: URL,
): Promise<Answer> {
  const { options, paths, request, client } = visit;
  const begun = begunIn(request);
  // Without the cookie, the code is used up for nobody.
  const receiver = { host: target.hostname, browser: begun === undefined ? "" : hashOf(begun) };
  const token = await takeHandoff(ports, code, receiver, client);
  if (token !== undefined) return redirect(target.href, sessionCookies(request, token, undefined));
  noteRefusal(visit, request, "handoff refused");
  const again = withReturnTo(HANDOFF, target.href);
  const login = `${options.hosts.publicUrl}${paths.login}?${HANDOFF_FAILED}=1`;
  return redirect(withReturnTo(login, again));
}
