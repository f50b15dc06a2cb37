import { HANDOFF } from "../../http/paths.ts";
import { asksForFactor, FACTOR, findSignInPath } from "../../http/refusals.ts";
import { type Answer, redirect, withHeader } from "../../http/responses.ts";
import {
  addReturnTo,
  getHandoffRoot,
  parseHandoffTarget,
  RETURN_TO,
} from "../../http/return-to.ts";
import { createSessionCookies, readCookie, readSession } from "../../http/session-cookie.ts";
import { logRefusal } from "../../http/warnings.ts";
import { getParameter, type WebRequest } from "../../http/web-request.ts";
import {
  type Admission,
  isAdmitted,
  type NotAdmitted,
} from "../../identity/authenticate-session.ts";
import type { Factors } from "../../identity/session-token.ts";
import { createRandomText, digestText } from "../../lib/random-text.ts";
import type { Context } from "../context.ts";
import { postLogout } from "../sessions/sessions-pages.ts";
import { HANDOFF_FAILED } from "../sign-in/sign-in-pages.ts";
import { createHandoff, takeHandoff } from "./handoff.ts";

/**
 * Browsers accept this cookie only from the host itself, so no sibling host can choose its value.
 */
const BEGUN_COOKIE = "__Host-latchkey-handoff";
/** A user may take this long to sign in. */
const BEGUN_SECONDS = 3_600;
/** This query parameter contains the hash of that cookie. */
const BROWSER = "browser";
const RANDOM_TEXT = /^[\w-]{43}$/;

/**
 * Brings a session to a host of another domain in three steps: that host begins, the sign-in page
 * issues a code, and that host redeems the code. A step that fails redirects to a page where the
 * user must click, so that browsers never loop.
 */
export async function getHandoff(context: Context): Promise<Answer> {
  const { options, request } = context;
  const root = getHandoffRoot(options, request);
  const asked = parseHandoffTarget(options, getParameter(request, RETURN_TO));
  if (root === undefined) return giveCode(context, asked);
  const target = asked?.origin === root.origin ? asked : root;
  const code = getParameter(request, "code");
  return code === undefined ? beginHandoff(context, target) : takeCode(context, code, target);
}

/** Begins a handoff. An earlier cookie stays, for pages that were opened at the same time. */
function beginHandoff({ options, request }: Context, target: URL): Answer {
  const begun = readBegun(request) ?? createRandomText();
  const query = new URLSearchParams({ [RETURN_TO]: target.href, [BROWSER]: digestText(begun) });
  if (asksForFactor(request)) query.set(FACTOR, "2");
  const attributes = `Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${BEGUN_SECONDS}`;
  return redirect(`${options.hosts.publicUrl}${HANDOFF}?${query}`, [
    `${BEGUN_COOKIE}=${begun}; ${attributes}`,
  ]);
}

/**
 * Returns only a value that `beginHandoff` has made, because anyone can request a code for the hash
 * of an empty cookie.
 */
function readBegun(request: WebRequest): string | undefined {
  const value = readCookie(request.header("cookie"), BEGUN_COOKIE) ?? "";
  return RANDOM_TEXT.test(value) ? value : undefined;
}

async function giveCode(context: Context, target: URL | undefined): Promise<Answer> {
  const { rules, paths, views, request } = context;
  if (target === undefined) return views.error(context, 404, "noSuchPage");
  const location = `${target.origin}${HANDOFF}`;
  const browser = getParameter(request, BROWSER) ?? "";
  if (!RANDOM_TEXT.test(browser)) return redirect(addReturnTo(location, target.href));
  const admission = await rules.authenticate(request.header("cookie"));
  const lacking = findMissing(admission, asksForFactor(request) ? 2 : 1);
  if (lacking !== undefined) {
    const path = findSignInPath(context, lacking, request);
    return redirect(addReturnTo(path, `${request.path}${request.query}`));
  }
  const receiver = { host: target.hostname, browser };
  const session = readSession(rules, request);
  if (session === undefined) return redirect(paths.login);
  const code = await createHandoff(rules, session, receiver);
  if (code === undefined) {
    logRefusal(context, request, "handoff refused");
    return views.error(context, 429, "tooManyHandoffs", { "Retry-After": "60" });
  }
  return redirect(addReturnTo(`${location}?code=${code}`, target.href));
}

/**
 * Returns what the admission lacks for a session of another host with this many factors, if
 * anything.
 */
function findMissing(admission: Admission, factors: Factors): NotAdmitted | undefined {
  if (!isAdmitted(admission)) return admission;
  return admission.factors < factors ? { kind: "factor-unproven" } : undefined;
}

async function takeCode(context: Context, code: string, target: URL): Promise<Answer> {
  const { rules, options, paths, request, client } = context;
  const begun = readBegun(request);
  // Without the cookie, the code is used up and no browser gets a session.
  const receiver = { host: target.hostname, browser: begun === undefined ? "" : digestText(begun) };
  const token = await takeHandoff(rules, code, receiver, client);
  if (token !== undefined)
    return redirect(target.href, createSessionCookies(request, token, undefined));
  logRefusal(context, request, "handoff refused");
  const again = addReturnTo(HANDOFF, target.href);
  const login = `${options.hosts.publicUrl}${paths.login}?${HANDOFF_FAILED}=1`;
  return redirect(addReturnTo(login, again));
}

/** Ends the session of the host and redirects to the sign-in page, whose session continues. */
export async function postHandoffLogout(context: Context): Promise<Answer> {
  const { options, paths } = context;
  const signIn = `${options.hosts.publicUrl}${paths.login}`;
  return withHeader(await postLogout(context), "Location", signIn);
}
