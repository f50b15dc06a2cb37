import { hashOf, randomText } from "../../core/base/random-text.ts";
import type { SessionRules } from "../../core/sessions/session-rules.ts";
import { type Answer, redirect } from "../answers/responses.ts";
import { handoffRoot, handoffTarget, RETURN_TO, withReturnTo } from "../answers/return-to.ts";
import { cookieIn, sessionCookies, tokenOf } from "../answers/session-cookie.ts";
import { asksForFactor, FACTOR, signInPath } from "../guards.ts";
import { HANDOFF } from "../paths.ts";
import type { WebPorts } from "../ports.ts";
import { noteRefusal } from "../request/warnings.ts";
import { parameterOf, type WebRequest } from "../request/web-request.ts";

/** Browsers accept it only from the host itself, so no sibling host can choose its value. */
const BEGUN = "__Host-latchkey-handoff";
/** As long as somebody may take to sign in. */
const BEGUN_SECONDS = 3_600;
/** The query parameter with the hash of that cookie. */
const BROWSER = "browser";
/** 32 bytes in base64url. */
const RANDOM = /^[\w-]{43}$/;

/**
 * Brings a session to a host of another domain, in three steps: that host begins, the sign-in gives a
 * code, and that host takes it. A step that fails leads to a page where somebody has to click, so
 * that no browser goes in circles.
 */
export async function getHandoff(
  ports: WebPorts,
  sessions: SessionRules,
  request: WebRequest,
): Promise<Answer> {
  const root = handoffRoot(ports.options, request);
  const asked = handoffTarget(ports.options, parameterOf(request, RETURN_TO));
  if (root === undefined) return give(ports, sessions, request, asked);
  const target = asked?.origin === root.origin ? asked : root;
  const code = parameterOf(request, "code");
  return code === undefined
    ? begin(ports, request, target)
    : take(ports, sessions, request, { code, target });
}

/** An earlier cookie stays, for pages that were opened at the same time. */
function begin({ options }: WebPorts, request: WebRequest, target: URL): Answer {
  const known = begunIn(request);
  const begun = RANDOM.test(known) ? known : randomText();
  const query = new URLSearchParams({ [RETURN_TO]: target.href, [BROWSER]: hashOf(begun) });
  if (asksForFactor(request)) query.set(FACTOR, "2");
  const attributes = `Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${BEGUN_SECONDS}`;
  return redirect(`${options.hosts.publicUrl}${HANDOFF}?${query}`, [
    `${BEGUN}=${begun}; ${attributes}`,
  ]);
}

const begunIn = (request: WebRequest): string => cookieIn(request.header("cookie"), BEGUN) ?? "";

async function give(
  ports: WebPorts,
  sessions: SessionRules,
  request: WebRequest,
  target: URL | undefined,
): Promise<Answer> {
  const { rules, paths, views } = ports;
  if (target === undefined) return views.error(request, 404, "noSuchPage");
  const location = `${target.origin}${HANDOFF}`;
  const browser = parameterOf(request, BROWSER) ?? "";
  if (!RANDOM.test(browser)) return redirect(withReturnTo(location, target.href));
  const given = await rules.requireAuth(request.header("cookie"));
  const isUnproven = asksForFactor(request) && given.kind === "admitted" && given.factors < 2;
  const admission = isUnproven ? ({ kind: "factor-unproven" } as const) : given;
  if (admission.kind !== "admitted" && admission.kind !== "guest") {
    const path = signInPath(ports, admission, request);
    return redirect(withReturnTo(path, `${request.path}${request.query}`));
  }
  const receiver = { host: target.hostname, browser };
  const code = await sessions.handOff(tokenOf(rules, request), receiver);
  if (code === undefined) return redirect(paths.login);
  return redirect(withReturnTo(`${location}?code=${code}`, target.href));
}

async function take(
  ports: WebPorts,
  sessions: SessionRules,
  request: WebRequest,
  { code, target }: { readonly code: string; readonly target: URL },
): Promise<Answer> {
  const { options, paths, proxies } = ports;
  const receiver = { host: target.hostname, browser: hashOf(begunIn(request)) };
  const token = await sessions.takeHandoff(code, receiver, proxies.clientOf(request));
  if (token !== undefined) return redirect(target.href, sessionCookies(request, token, undefined));
  noteRefusal(ports, request, "handoff refused");
  const again = withReturnTo(HANDOFF, target.href);
  return redirect(withReturnTo(`${options.hosts.publicUrl}${paths.login}`, again));
}
