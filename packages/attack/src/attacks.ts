import type { Attack } from "./attack.ts";
import { administratorsPages } from "./attacks/administrators-pages.ts";
import { cookieTossing } from "./attacks/cookie-tossing.ts";
import { crossSite } from "./attacks/cross-site-forms.ts";
import { dnsRebinding } from "./attacks/dns-rebinding.ts";
import { enumeration } from "./attacks/enumeration.ts";
import { enumerationByTime } from "./attacks/enumeration-by-time.ts";
import { forgedTokens } from "./attacks/forged-tokens.ts";
import { guardedPaths } from "./attacks/guarded-paths.ts";
import { handoff } from "./attacks/handoff.ts";
import { headerInjection } from "./attacks/header-injection.ts";
import { headerLists } from "./attacks/header-lists.ts";
import { heavyBodies } from "./attacks/heavy-bodies.ts";
import { linkOrigin } from "./attacks/link-origin.ts";
import { logForging } from "./attacks/log-forging.ts";
import { markupInjection, markupInSetup } from "./attacks/markup-injection.ts";
import { oidcClients } from "./attacks/oidc-clients.ts";
import { oidcCodes } from "./attacks/oidc-codes.ts";
import { oidcDevices } from "./attacks/oidc-devices.ts";
import { oidcEnds } from "./attacks/oidc-ends.ts";
import { oidcHints } from "./attacks/oidc-hints.ts";
import { oidcHosts } from "./attacks/oidc-hosts.ts";
import { oidcPurposes } from "./attacks/oidc-purposes.ts";
import { oidcRedirects } from "./attacks/oidc-redirects.ts";
import { oidcRequests } from "./attacks/oidc-requests.ts";
import { oidcResponses } from "./attacks/oidc-responses.ts";
import { oidcSignOut } from "./attacks/oidc-sign-out.ts";
import { oidcSteps } from "./attacks/oidc-steps.ts";
import { oneTimeCodes } from "./attacks/one-time-codes.ts";
import { openRedirects } from "./attacks/open-redirects.ts";
import { oversizedHeaders } from "./attacks/oversized-headers.ts";
import { pageHeaders } from "./attacks/page-headers.ts";
import { passkeyReplay } from "./attacks/passkey-replay.ts";
import { pipelining } from "./attacks/pipelining.ts";
import { proxyHeaders } from "./attacks/proxy-headers.ts";
import { smuggling } from "./attacks/request-smuggling.ts";
import { sessionEnd } from "./attacks/session-end.ts";
import { sessionLife } from "./attacks/session-life.ts";
import { setupAgain } from "./attacks/setup-again.ts";
import { setupRace } from "./attacks/setup-race.ts";
import { setupToken } from "./attacks/setup-token.ts";
import { signInLimit } from "./attacks/sign-in-limit.ts";
import { slowBodies } from "./attacks/slow-bodies.ts";
import { tokenPurposes } from "./attacks/token-purposes.ts";
import { unreadPipelines } from "./attacks/unread-pipelines.ts";

/** An attack on requests, which servers read differently in HTTP/2. */
const overBoth = (attack: Attack): Attack => ({ ...attack, versions: ["1.1", "2"] });

/**
 * In the order of execution. With --fresh, setup-race creates the account for the later attacks;
 * sign-in-limit uses up the attempts of this address, session-life ends its sessions, and after
 * one-time-codes its password alone no longer signs in.
 */
export const attacks: readonly Attack[] = [
  dnsRebinding,
  setupToken,
  markupInSetup,
  setupRace,
  setupAgain,
  overBoth(guardedPaths),
  oversizedHeaders,
  overBoth(openRedirects),
  overBoth(crossSite),
  overBoth(headerInjection),
  overBoth(markupInjection),
  overBoth(pageHeaders),
  pipelining,
  headerLists,
  overBoth(forgedTokens),
  overBoth(cookieTossing),
  overBoth(proxyHeaders),
  enumeration,
  enumerationByTime,
  logForging,
  smuggling,
  heavyBodies,
  slowBodies,
  unreadPipelines,
  passkeyReplay,
  handoff,
  oidcRedirects,
  oidcResponses,
  oidcCodes,
  oidcClients,
  oidcDevices,
  oidcPurposes,
  oidcHints,
  oidcSteps,
  oidcSignOut,
  oidcHosts,
  oidcRequests,
  oidcEnds,
  administratorsPages,
  linkOrigin,
  tokenPurposes,
  signInLimit,
  sessionEnd,
  sessionLife,
  oneTimeCodes,
];
