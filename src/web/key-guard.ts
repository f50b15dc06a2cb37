import { andThen, type MaybePromise } from "../core/base/maybe-promise.ts";
import { hostNameIn } from "../core/hosts/host-name.ts";
import type { KeyAdmission, KeyGuard, KeyProblem, KeyRefusal } from "../core/keys/key-guard.ts";
import type { Admission } from "../core/sessions/require-user.ts";
import { type Answer, type Headers, respondText } from "./answers/responses.ts";
import type { CookieGuard } from "./answers/session-cookie.ts";
import { type ProxyTrust, peerOf } from "./request/remote-address.ts";
import { noteRefusal, type RefusalPorts } from "./request/warnings.ts";
import { hostOf, type WebRequest } from "./request/web-request.ts";

export type RequestGuard = (
  cookies: string | undefined,
  authorization: string | undefined,
  request: () => WebRequest,
) => MaybePromise<Admission | KeyAdmission>;

/** A key decides alone, also beside a session: nobody is taken for two users. */
export function admittingKeys(
  guard: CookieGuard,
  keys: KeyGuard | undefined,
  proxies: ProxyTrust,
): RequestGuard {
  if (keys === undefined) return guard;
  return (cookies, authorization, request) => {
    if (authorization === undefined) return guard(cookies);
    const admission = keys(authorization, {
      host: () => hostNameIn(askedHost(proxies, request())),
      address() {
        const asking = request();
        return peerOf(asking) === undefined ? undefined : proxies.addressOf(asking);
      },
    });
    return andThen(admission, (byKey) => byKey ?? guard(cookies));
  };
}

/** The host that the client asked for, by a trusted proxy or else by the request; not checked. */
export function askedHost(proxies: ProxyTrust, request: WebRequest): string {
  const isConnected = peerOf(request) !== undefined;
  const forwarded = isConnected ? proxies.header(request, "x-forwarded-host") : undefined;
  return forwarded ?? hostOf(request);
}

const BASIC: Headers = { "WWW-Authenticate": 'Basic realm="latchkey", charset="UTF-8"' };
const BEARER: Headers = { "WWW-Authenticate": 'Bearer error="invalid_token"' };

/** Some programs send a key only after this. Browsers, which call themselves so, would ask for it. */
export const asksForKey = (request: WebRequest): Headers | undefined =>
  request.header("user-agent")?.startsWith("Mozilla/") === true ? undefined : BASIC;

const PROBLEMS: Readonly<Record<KeyProblem, string>> = {
  mistyped: "this key is incomplete or mistyped",
  unknown: "there is no such key, or it was revoked",
  expired: "this key has expired",
  "other-host": "this key does not open this host",
  "factor-unproven":
    "this key was made without a second factor, which is needed here: make another key",
  limited: "too many wrong keys",
};

/** The window of the limiter. */
const RETRY_AFTER: Headers = { "Retry-After": "60" };

/** @param limited The status after too many wrong keys. */
export function answerKeyRefused(
  ports: RefusalPorts,
  request: WebRequest,
  { problem }: KeyRefusal,
  limited: 401 | 429 = 429,
): Answer {
  const challenge = /^basic /i.test(request.header("authorization") ?? "") ? BASIC : BEARER;
  if (problem === "limited") {
    noteRefusal(ports, request, "key rate-limited");
    return respondText(PROBLEMS.limited, limited, { ...challenge, ...RETRY_AFTER });
  }
  noteRefusal(ports, request, "key refused", { problem });
  return respondText(PROBLEMS[problem], 401, challenge);
}
