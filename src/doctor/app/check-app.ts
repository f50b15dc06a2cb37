import { fetchRequest } from "../../http/fetch-request.ts";
import { createSessionCookies } from "../../http/session-cookie.ts";
import { beginSignIn } from "./begin-sign-in.ts";
import { checkClaims, checkEntrance, checkRequest, getCode, redeemCode } from "./oidc-steps.ts";
import {
  checkAddress,
  checkClock,
  checkGate,
  checkGuard,
  checkHeaders,
  checkSession,
  visitGate,
  visitPlainly,
} from "./proxy-steps.ts";
import { STEPS, type Step, type StepReport, skipped } from "./report.ts";
import type { SiteBrowser, Visit } from "./site-browser.ts";
import type { Subject } from "./subject.ts";

/** Begins in the way of the steps that only an app with OpenID Connect has. */
const FIRST_OIDC_STEP = STEPS.indexOf("start");

/** Signs in to the app as a browser does. Yields the report of each step as soon as it is known. */
export async function* checkApp(
  subject: Subject,
  browser: SiteBrowser,
): AsyncGenerator<StepReport, void> {
  const speaksOidc = subject.app.clientType !== undefined;
  const steps = STEPS.filter((_, at) => speaksOidc || at < FIRST_OIDC_STEP);
  let last: Step | undefined;
  let reason = "";
  const reports = runSteps(subject, browser);
  for (;;) {
    const { value, done } = await reports.next();
    if (done) {
      reason = value ?? "";
      break;
    }
    last = value.check;
    yield value;
  }
  for (const step of steps.slice(last === undefined ? 0 : steps.indexOf(last) + 1))
    yield skipped(step, reason);
}

/** Returns why the rest is skipped, if it ends early. */
async function* runSteps(
  subject: Subject,
  browser: SiteBrowser,
): AsyncGenerator<StepReport, string | undefined> {
  const plain = await visitPlainly(subject);
  const address = checkAddress(subject, plain);
  yield address;
  if (address.outcome === "problem") return "the app cannot be reached";
  const gate = await visitGate(subject);
  const reached = checkGate(subject, gate);
  yield reached;
  yield checkClock(subject, plain, gate);
  yield checkGuard(subject, plain);
  yield await checkHeaders(subject, plain);
  if (reached.outcome === "problem") return "the gate cannot be reached";

  putSession(subject, browser);
  const { report, visit } = await checkSession(subject, browser);
  yield report;
  if (report.outcome === "problem" || visit === undefined) return "the app does not open";
  if (subject.app.clientType === undefined) return undefined;
  return yield* runOidcSteps(subject, browser, visit);
}

async function* runOidcSteps(
  subject: Subject,
  browser: SiteBrowser,
  opened: Visit,
): AsyncGenerator<StepReport, string | undefined> {
  const { report: start, beginning } = await beginSignIn(subject, browser, opened);
  yield start;
  if (beginning === undefined) return "the sign-in did not begin";
  const requests = checkRequest(subject, beginning.request);
  yield* requests;
  if (requests.some(({ outcome }) => outcome === "problem")) return "the request is wrong";
  const { report: code, answer } = await getCode(subject, browser, beginning.request);
  yield code;
  if (answer === undefined) return "there is no code";
  const { report: tokens, visit: returned } = await redeemCode(subject, browser, answer);
  yield tokens;
  yield checkClaims(subject);
  if (tokens.outcome !== "ok") return "the app has no tokens";
  yield await checkEntrance(subject, browser, opened, beginning, returned);
  return undefined;
}

/** Gives the browser the cookie that it would get at the sign-in. */
function putSession({ publicUrl, scope, token }: Subject, { jar }: SiteBrowser): void {
  const protocol = publicUrl.protocol.slice(0, -1);
  const request = new Request(publicUrl, { headers: { "X-Forwarded-Proto": protocol } });
  jar.keep(publicUrl, createSessionCookies(fetchRequest(request), token, scope.cookieDomain));
}
