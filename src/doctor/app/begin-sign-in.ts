import { explainFailure, reachGate } from "./explain-failure.ts";
import { type Entrance, listEntrances } from "./html.ts";
import { failed, passed, type StepReport, showUrl, skipped } from "./report.ts";
import type { SiteBrowser, Visit } from "./site-browser.ts";
import { isAuthorizationRequest, type Subject } from "./subject.ts";

/** Each of them costs a request. The page names its sign-in among its first links. */
const MAX_TRIED = 8;

/** A link with one of these words may begin a sign-in. */
const BEGINNING =
  /\b(oidc|oauth2?|openid|sso|latchkey|log-?in|sign-?in|auth|connect|saml)\b|sign in|log in/i;
/** A link with one of these words may change something. */
const CHANGING =
  /log-?out|sign-?out|log out|sign out|delete|remove|revoke|disconnect|unlink|register|sign-?up|enable|disable|activat|reset|generat|rotat|\bclear\b|flush|purge|destroy|erase|creat|updat|\bedit\b|\bsave\b|\badd\b|apply\b|approve|allow\b|grant\b/i;

/** Contains the request with which the app begins its sign-in, and how the browser got there. */
export interface Beginning {
  readonly request: URL;
  /** Opening the app begins the sign-in, or this link or path does. */
  readonly by: "opening" | Entrance;
}

export interface Begun {
  readonly report: StepReport;
  readonly beginning: Beginning | undefined;
}

/** Begins the sign-in of the app. */
export async function beginSignIn(
  subject: Subject,
  browser: SiteBrowser,
  opened: Visit,
): Promise<Begun> {
  const { app, url, start } = subject;
  if (start !== undefined) return beginAt(subject, browser, new URL(start, url));
  if (opened.kind === "stopped" && isAuthorizationRequest(opened.url)) {
    const report = passed("start", `opening ${app.name} begins the sign-in`);
    return { report, beginning: { request: opened.url, by: "opening" } };
  }
  const entrances = opened.kind === "answered" ? findEntrances(opened) : [];
  for (const entrance of entrances) {
    const visit = await follow(browser, entrance);
    if (visit.kind === "stopped") {
      const report = passed("start", `${showUrl(entrance.url)} begins the sign-in`);
      return { report, beginning: { request: visit.url, by: entrance } };
    }
    if (visit.kind === "answered" && visit.status >= 500)
      return { report: explainBrokenStart(subject, visit), beginning: undefined };
  }
  const page = opened.kind === "answered" ? showUrl(opened.url) : url.href;
  const report = skipped(
    "start",
    `no link of ${page} leads to a sign-in with OpenID Connect`,
    `find the address of its sign-in button in a browser, and name its path: latchkey app check ${app.id} --start /PATH`,
  );
  return { report, beginning: undefined };
}

const follow = (browser: SiteBrowser, { url, form }: Entrance): Promise<Visit> =>
  browser.open(url, { form, from: url, until: isAuthorizationRequest });

/** Lists the links and forms of the page that may begin a sign-in, the likeliest first. */
function findEntrances({ url, body }: Extract<Visit, { readonly kind: "answered" }>) {
  const fitting = listEntrances(body, url)
    .filter((entrance) => entrance.url.hostname === url.hostname)
    .filter(({ words }) => BEGINNING.test(words) && !CHANGING.test(words));
  const rank = ({ words }: Entrance): number =>
    /oidc|openid|oauth|sso|latchkey/i.test(words) ? 0 : 1;
  const seen = new Set<string>();
  return fitting
    .toSorted((first, second) => rank(first) - rank(second))
    .filter((entrance) => {
      const key = `${entrance.url.href} ${entrance.form}`;
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    })
    .slice(0, MAX_TRIED);
}

async function beginAt(subject: Subject, browser: SiteBrowser, at: URL): Promise<Begun> {
  const { app } = subject;
  const entrance = { url: at, form: undefined, words: "" };
  const visit = await follow(browser, entrance);
  if (visit.kind === "stopped") {
    const report = passed("start", `${showUrl(at)} begins the sign-in`);
    return { report, beginning: { request: visit.url, by: entrance } };
  }
  if (visit.kind === "answered" && visit.status >= 500)
    return { report: explainBrokenStart(subject, visit), beginning: undefined };
  if (visit.kind === "failed") {
    const { found, remedy } = explainFailure(visit.error);
    const report = failed("start", `${showUrl(visit.url)} cannot be reached: ${found}`, remedy);
    return { report, beginning: undefined };
  }
  const end =
    visit.kind === "answered"
      ? `${showUrl(visit.url)} returns ${visit.status}`
      : `it leads to ${showUrl(visit.url)}`;
  const report = failed(
    "start",
    `${showUrl(at)} does not begin a sign-in with OpenID Connect: ${end}`,
    `find the address of the sign-in button of ${app.name} in a browser, and name its path with --start; if there is no button, OpenID Connect is not turned on in ${app.name}`,
  );
  return { report, beginning: undefined };
}

/** Before the first sign-in, most apps read the discovery document. */
const explainBrokenStart = (
  { app, publicUrl }: Subject,
  { url, status }: Extract<Visit, { readonly kind: "answered" }>,
): StepReport =>
  failed(
    "start",
    `${app.name} fails where its sign-in begins: ${showUrl(url)} returns ${status}`,
    `its server probably cannot reach the gate, or has another issuer: ${reachGate(publicUrl)}. The log of ${app.name} says more`,
  );
