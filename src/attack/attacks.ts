import type { Attack } from "./attack.ts";
import { cookieTossing } from "./cookie-tossing.ts";
import { crossSite } from "./cross-site.ts";
import { enumeration } from "./enumeration.ts";
import { enumerationByTime } from "./enumeration-by-time.ts";
import { forgedTokens } from "./forged-tokens.ts";
import { guardedPaths } from "./guarded-paths.ts";
import { headerInjection } from "./header-injection.ts";
import { heavyBodies } from "./heavy-bodies.ts";
import { logForging } from "./log-forging.ts";
import { markupInjection, markupInSetup } from "./markup-injection.ts";
import { openRedirects } from "./open-redirects.ts";
import { pageHeaders } from "./page-headers.ts";
import { pipelining } from "./pipelining.ts";
import { sessionLife } from "./session-life.ts";
import { setupAgain } from "./setup-again.ts";
import { setupRace } from "./setup-race.ts";
import { setupToken } from "./setup-token.ts";
import { signInLimit } from "./sign-in-limit.ts";
import { slowBodies } from "./slow-bodies.ts";
import { smuggling } from "./smuggling.ts";

/**
 * In the order in which they are tried. The race makes the account for those that take one; the
 * attempts of this address are used up late, and its sessions ended last.
 */
export const attacks: readonly Attack[] = [
  setupToken,
  markupInSetup,
  setupRace,
  setupAgain,
  guardedPaths,
  openRedirects,
  crossSite,
  headerInjection,
  markupInjection,
  pageHeaders,
  pipelining,
  forgedTokens,
  cookieTossing,
  enumeration,
  enumerationByTime,
  logForging,
  smuggling,
  heavyBodies,
  slowBodies,
  signInLimit,
  sessionLife,
];
