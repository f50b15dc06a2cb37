import { createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { DEVELOPMENT_SECRET } from "../../../src/identity/session-token.ts";
import { type Flaw, testFlaws } from "./flaws.ts";
import { correct, decoded, issue, SECRET } from "./sample-behaviour.ts";

const userIdOf = (token: string): string => String(decoded(token.split(".")[1]).user_id);
const headerOf = (token: string): Readonly<Record<string, unknown>> => decoded(token.split(".")[0]);

/** The correct verification, or the flawed one given. */
const orElse =
  (accepts: (token: string) => boolean) =>
  (token: string): string | undefined =>
    correct.userIdIn(token) ?? (accepts(token) ? userIdOf(token) : undefined);

function isSigned(token: string, secret: string, hash = "sha256"): boolean {
  const [header, claims, signature] = token.split(".");
  const text = `${header}.${claims}`;
  return signature === createHmac(hash, secret).update(text).digest("base64url");
}

const anyCookie =
  (find: (cookies: string, request: IncomingMessage) => string | undefined) =>
  (request: IncomingMessage): string | undefined =>
    find(request.headers.cookie ?? "", request);

const flaws: readonly Flaw[] = [
  {
    attack: "forged-tokens",
    what: "accepts alg none",
    server: { userIdIn: orElse((token) => headerOf(token).alg === "none") },
    finding: /alg "none" without a signature/,
  },
  {
    attack: "forged-tokens",
    what: "accepts alg none in any case",
    server: { userIdIn: orElse((token) => /^none$/i.test(String(headerOf(token).alg))) },
    finding: /alg "nOnE"/,
  },
  {
    attack: "forged-tokens",
    what: "does not verify signatures",
    server: { userIdIn: (token) => userIdOf(token) },
    finding: /another secret/,
  },
  {
    attack: "forged-tokens",
    what: "verifies with the key in the token",
    server: {
      userIdIn: orElse((token) => {
        const { k = "" } = Object(headerOf(token).jwk ?? {});
        return isSigned(token, Buffer.from(String(k), "base64url").toString("utf8"));
      }),
    },
    finding: /the attacker's key in jwk/,
  },
  {
    attack: "forged-tokens",
    what: "signs with a guessable secret",
    server: { userIdIn: orElse((token) => isSigned(token, "changeme")) },
    finding: /a published or guessable secret/,
  },
  {
    attack: "forged-tokens",
    what: "signs with Latchkey's development secret",
    server: { userIdIn: orElse((token) => isSigned(token, DEVELOPMENT_SECRET)) },
    finding: /a published or guessable secret/,
  },
  {
    attack: "forged-tokens",
    what: "signs with an empty secret",
    server: { userIdIn: orElse((token) => isSigned(token, "")) },
    finding: /an empty secret/,
  },
  {
    attack: "forged-tokens",
    what: "accepts another HMAC hash",
    server: { userIdIn: orElse((token) => isSigned(token, SECRET, "sha512")) },
    finding: /HS512 with the secret/,
  },
  {
    attack: "forged-tokens",
    what: "ignores the expiry",
    server: { userIdIn: orElse((token) => isSigned(token, SECRET)) },
    finding: /exp in the past/,
  },
  {
    attack: "forged-tokens",
    what: "ignores what follows the token",
    server: { userIdIn: (token) => correct.userIdIn(token.split(".").slice(0, 3).join(".")) },
    finding: /an extra part/,
  },
  {
    attack: "cookie-tossing",
    what: "uses the last session cookie",
    server: { tokenIn: anyCookie((cookies) => /.*(?:^|; )session=([^;]*)/.exec(cookies)?.[1]) },
    finding: /session=nobody; session=/,
  },
  {
    attack: "cookie-tossing",
    what: "ignores the case of the cookie name",
    server: { tokenIn: anyCookie((cookies) => /^session=([^;]*)/i.exec(cookies)?.[1]) },
    finding: /Session=\*/,
  },
  {
    attack: "cookie-tossing",
    what: "removes quotes from the cookie value",
    server: { tokenIn: anyCookie((cookies) => /^session="?([^;"]*)/.exec(cookies)?.[1]) },
    finding: /session="\*"/,
  },
  {
    attack: "cookie-tossing",
    what: "accepts Remote-User from any client",
    server: {
      tokenIn: (request) =>
        request.headers["remote-user"] === "owner" ? issue("user-0") : correct.tokenIn(request),
    },
    finding: /the header Remote-User/,
  },
  {
    attack: "cookie-tossing",
    what: "accepts a bearer token",
    server: {
      tokenIn: (request) =>
        /^Bearer (.*)/.exec(request.headers.authorization ?? "")?.[1] ?? correct.tokenIn(request),
    },
    finding: /the header Authorization/,
  },
  {
    attack: "cookie-tossing",
    what: "accepts any session if there are many cookies",
    server: {
      tooLarge: () => undefined,
      pathOf: (request) => correct.pathOf(request),
      isCrossSite: () => false,
      tokenIn: anyCookie((cookies, request) =>
        cookies.length > 5_000 ? issue("user-0") : correct.tokenIn(request),
      ),
    },
    finding: /bytes of cookies: status 422/,
  },
];

testFlaws(flaws);
