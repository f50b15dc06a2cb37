import { createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { decoded, issue, SECRET, sound } from "./door-parts.ts";
import { type Flaw, findsEach } from "./flaws.ts";

const userIdOf = (token: string): string => String(decoded(token.split(".")[1]).user_id);
const headerOf = (token: string): Readonly<Record<string, unknown>> => decoded(token.split(".")[0]);

/** Verified by the token's own idea of how. */
const orElse =
  (accepts: (token: string) => boolean) =>
  (token: string): string | undefined =>
    sound.userIdIn(token) ?? (accepts(token) ? userIdOf(token) : undefined);

function isSigned(token: string, secret: string, hash = "sha256"): boolean {
  const [header, claims, signature] = token.split(".");
  const text = `${header}.${claims}`;
  return signature === createHmac(hash, secret).update(text).digest("base64url");
}

const anyCookie =
  (find: (cookies: string, request: IncomingMessage) => string | undefined) =>
  (request: IncomingMessage): string | undefined =>
    find(request.headers.cookie ?? "", request);

const SESSION_AGE = "Max-Age=2592000";

const flaws: readonly Flaw[] = [
  {
    attack: "forged-tokens",
    what: "takes tokens without a signature where they say so",
    door: { userIdIn: orElse((token) => headerOf(token).alg === "none") },
    finding: /alg "none" without a signature/,
  },
  {
    attack: "forged-tokens",
    what: "takes none in other letters",
    door: { userIdIn: orElse((token) => /^none$/i.test(String(headerOf(token).alg))) },
    finding: /alg "nOnE"/,
  },
  {
    attack: "forged-tokens",
    what: "looks at no signature at all",
    door: { userIdIn: (token) => userIdOf(token) },
    finding: /another secret/,
  },
  {
    attack: "forged-tokens",
    what: "takes the key that a token brings along",
    door: {
      userIdIn: orElse((token) => {
        const { k = "" } = Object(headerOf(token).jwk ?? {});
        return isSigned(token, Buffer.from(String(k), "base64url").toString("utf8"));
      }),
    },
    finding: /a key of its own in jwk/,
  },
  {
    attack: "forged-tokens",
    what: "is signed with a secret that everybody knows",
    door: { userIdIn: orElse((token) => isSigned(token, "known")) },
    finding: /a secret that everybody knows/,
  },
  {
    attack: "forged-tokens",
    what: "is signed with an empty secret",
    door: { userIdIn: orElse((token) => isSigned(token, "")) },
    finding: /an empty secret/,
  },
  {
    attack: "forged-tokens",
    what: "lets the token choose another hash",
    door: { userIdIn: orElse((token) => isSigned(token, SECRET, "sha512")) },
    finding: /HS512 with the secret/,
  },
  {
    attack: "forged-tokens",
    what: "does not look at the expiry",
    door: { userIdIn: orElse((token) => isSigned(token, SECRET)) },
    finding: /exp in the past/,
  },
  {
    attack: "forged-tokens",
    what: "takes whatever follows the token",
    door: { userIdIn: (token) => sound.userIdIn(token.split(".").slice(0, 3).join(".")) },
    finding: /an extra part/,
  },
  {
    attack: "cookie-tossing",
    what: "takes the last cookie of the name",
    door: { tokenIn: anyCookie((cookies) => /.*(?:^|; )session=([^;]*)/.exec(cookies)?.[1]) },
    finding: /session=nobody; session=/,
  },
  {
    attack: "cookie-tossing",
    what: "takes the name in other letters",
    door: { tokenIn: anyCookie((cookies) => /^session=([^;]*)/i.exec(cookies)?.[1]) },
    finding: /Session=\*/,
  },
  {
    attack: "cookie-tossing",
    what: "takes the token out of quotes",
    door: { tokenIn: anyCookie((cookies) => /^session="?([^;"]*)/.exec(cookies)?.[1]) },
    finding: /session="\*"/,
  },
  {
    attack: "cookie-tossing",
    what: "takes a proxy's word from anybody",
    door: {
      tokenIn: (request) =>
        request.headers["remote-user"] === "owner" ? issue("user-0") : sound.tokenIn(request),
    },
    finding: /the header Remote-User/,
  },
  {
    attack: "cookie-tossing",
    what: "takes a bearer token",
    door: {
      tokenIn: (request) =>
        /^Bearer (.*)/.exec(request.headers.authorization ?? "")?.[1] ?? sound.tokenIn(request),
    },
    finding: /the header Authorization/,
  },
  {
    attack: "cookie-tossing",
    what: "breaks when there are many cookies",
    door: {
      tooLarge: () => undefined,
      pathOf: (request) => sound.pathOf(request),
      isCrossSite: () => false,
      tokenIn: anyCookie((cookies, request) =>
        cookies.length > 5_000 ? issue("user-0") : sound.tokenIn(request),
      ),
    },
    finding: /bytes of cookies are answered with 422/,
  },
  {
    attack: "session-life",
    what: "lets scripts read the cookie",
    door: { cookieFor: (token) => `session=${token}; Path=/; SameSite=Lax; ${SESSION_AGE}` },
    finding: /read by scripts/,
  },
  {
    attack: "session-life",
    what: "sends the cookie from other sites",
    door: { cookieFor: (token) => `session=${token}; Path=/; HttpOnly; ${SESSION_AGE}` },
    finding: /from other sites/,
  },
  {
    attack: "session-life",
    what: "keeps the cookie for ever",
    door: { cookieFor: (token) => sound.cookieFor(token).replace("2592000", "25920000") },
    finding: /longer than thirty days/,
  },
  {
    attack: "session-life",
    what: "does not clear the cookie at the sign-out",
    door: { signOutCookie: () => "" },
    finding: /leaves the cookie/,
  },
  {
    attack: "session-life",
    what: "signs out by a link",
    door: { signOutCookie: () => "session=; Path=/; Max-Age=-1" },
    finding: /a link signs out/,
  },
  {
    attack: "session-life",
    what: "goes on with sessions that were ended",
    door: { endSessions: () => undefined },
    finding: /goes on/,
  },
  {
    attack: "session-life",
    what: "numbers none of its tokens",
    door: {
      userIdIn: () => "user-0",
      cookieFor: (token) => sound.cookieFor(token.replace(/\.[^.]*\./, ".e30.")),
    },
    finding: /no number of its own/,
  },
];

findsEach(flaws);
