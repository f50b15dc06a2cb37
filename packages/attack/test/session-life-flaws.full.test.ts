import { type Flaw, testFlaws } from "./flaws.ts";
import { correct, issue } from "./sample-behaviour.ts";

const SESSION_AGE = "Max-Age=2592000";

/** The users of sessions that began before the sign-in. */
const kept = new Map<string, string>();

const flaws: readonly Flaw[] = [
  {
    attack: "session-life",
    what: "keeps the session cookie from before the sign-in",
    server: {
      tokenFor(userId, request) {
        const token = correct.tokenIn(request) ?? issue(userId);
        kept.set(token, userId);
        return token;
      },
      userIdIn: (token) => kept.get(token) ?? correct.userIdIn(token),
    },
    finding: /a session cookie from before the sign-in is signed in/,
  },
  {
    attack: "session-life",
    what: "also signs in the session cookie from before the sign-in",
    server: {
      tokenFor(userId, request) {
        kept.set(correct.tokenIn(request) ?? "", userId);
        return issue(userId);
      },
      userIdIn: (token) => kept.get(token) ?? correct.userIdIn(token),
    },
    finding: /a session cookie from before the sign-in is signed in/,
  },
  {
    attack: "session-life",
    what: "lets scripts read the cookie",
    server: { cookieFor: (token) => `session=${token}; Path=/; SameSite=Lax; ${SESSION_AGE}` },
    finding: /scripts can read the cookie/,
  },
  {
    attack: "session-life",
    what: "sets a cookie without SameSite",
    server: { cookieFor: (token) => `session=${token}; Path=/; HttpOnly; ${SESSION_AGE}` },
    finding: /other sites' requests carry the cookie/,
  },
  {
    attack: "session-life",
    what: "sets a cookie with a lifetime of 300 days",
    server: { cookieFor: (token) => correct.cookieFor(token).replace("2592000", "25920000") },
    finding: /valid for longer than 30 days/,
  },
  {
    attack: "session-life",
    what: "does not clear the cookie at the sign-out",
    server: { signOutCookie: () => "" },
    finding: /does not clear the cookie/,
  },
  {
    attack: "session-life",
    what: "only clears the cookie at the sign-out",
    server: { signOut: () => undefined },
    finding: /the token is still accepted after the sign-out/,
  },
  {
    attack: "session-life",
    what: "signs out on GET",
    server: { signOutCookie: () => "session=; Path=/; Max-Age=-1" },
    finding: /GET \/logout signs the user out/,
  },
  {
    attack: "session-life",
    what: "accepts ended sessions",
    server: { endSessions: () => undefined },
    finding: /an ended session is still accepted/,
  },
  {
    attack: "session-life",
    what: "issues tokens without claims",
    server: {
      userIdIn: () => "user-0",
      cookieFor: (token) => correct.cookieFor(token.replace(/\.[^.]*\./, ".e30.")),
    },
    finding: /no unique jti/,
  },
];

testFlaws(flaws);
