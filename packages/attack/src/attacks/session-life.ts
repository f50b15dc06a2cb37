import type { Attack } from "../attack.ts";
import { Undecided } from "../errors.ts";
import { partsOf } from "../payloads/tokens.ts";
import {
  type Account,
  isSignedIn,
  isSuccess,
  newAddress,
  requireAccount,
  send,
  signIn,
} from "../target.ts";

const THIRTY_DAYS = 2_592_000;

export const sessionLife: Attack = {
  name: "session-life",
  about: "cookie attributes, planted sessions, sign-out and ended sessions",
  meaning: "A session can be read, sent or used where it should not be.",
  noun: "rules",
  verb: "broken",
  needs: ["account"],

  async run(target, tally) {
    const account = await requireAccount(target);
    const { planted, token } = account;
    const rule = (what: string, holds: "holds" | "broken"): void => {
      tally.tried();
      if (holds === "broken") tally.gotThrough(what);
    };
    const isTls = target.address.protocol === "https:";
    for (const [what, holds] of cookieRules(account, isTls ? "tls" : "plain")) rule(what, holds);
    for (const [what, holds] of tokenRules(account)) rule(what, holds);
    const isFixed = planted === token || (await isSignedIn(target, `session=${planted}`));
    rule(
      "a session cookie from before the sign-in is signed in by it",
      isFixed ? "broken" : "holds",
    );

    const shown = await send(target, { path: "/logout", session: token });
    rule("GET /logout signs the user out", shown.cookies.length > 0 ? "broken" : "holds");
    const out = await send(target, { path: "/logout", form: {}, session: token });
    const cleared = out.cookies.some((cookie) => /^session=;/.test(cookie) && isOver(cookie));
    rule("the sign-out does not clear the cookie", cleared ? "holds" : "broken");
    rule("the sign-out sets a session", out.session === undefined ? "holds" : "broken");
    const isOut = await eventuallySignedOut(() => isSignedIn(target, `session=${token}`));
    rule("the token is still accepted after the sign-out", isOut);

    if (target.access === undefined) return;
    const second = await signIn(
      target,
      { username: account.username, password: account.password },
      { from: await newAddress(target), session: token },
    );
    if (!isSuccess(second)) throw new Undecided("a second sign-in failed");
    rule("two sign-ins share one session", second.session === token ? "broken" : "holds");
    await target.access.endSessions(account.username);
    for (const ended of [token, second.session]) {
      const lives = await eventuallySignedOut(() => isSignedIn(target, `session=${ended}`));
      rule("an ended session is still accepted", lives);
      if (lives === "broken") return;
    }
  },
};

type Holding = readonly [what: string, holds: "holds" | "broken"];

const isOver = (cookie: string): boolean => /; *Max-Age=(0|-\d+)(;|$)/i.test(cookie);

const holding = (what: string, holds: unknown): Holding => [what, holds ? "holds" : "broken"];

function cookieRules({ cookies }: Account, connection: "tls" | "plain"): readonly Holding[] {
  const cookie = cookies.find((one) => /^session=[^;]/.test(one)) ?? "";
  const age = Number(/; *Max-Age=(\d+)/i.exec(cookie)?.[1] ?? Number.NaN);
  return [
    holding("scripts can read the cookie", /; *HttpOnly(;|$)/i.test(cookie)),
    holding("other sites' requests carry the cookie", /; *SameSite=(Lax|Strict)/i.test(cookie)),
    holding("the cookie does not cover the whole site", /; *Path=\/(;|$)/.test(cookie)),
    holding("the cookie is valid for longer than 30 days", age <= THIRTY_DAYS),
    holding(
      "the cookie is sent over plain HTTP",
      connection === "plain" || /; *Secure(;|$)/i.test(cookie),
    ),
  ];
}

function tokenRules({ token, password }: Account): readonly Holding[] {
  const { header = "", payload = {} } = partsOf(token) ?? {};
  const { exp, iat, jti } = payload;
  const lives = typeof exp === "number" && typeof iat === "number" ? exp - iat : Number.NaN;
  return [
    holding("the token names another algorithm", /"alg":"HS256"/.test(atob(header))),
    holding("the token is valid for longer than 30 days", lives <= THIRTY_DAYS),
    holding("the token has no unique jti", /^[0-9a-f]{32}$/.test(String(jti))),
    holding("the token contains the password", !JSON.stringify(payload).includes(password)),
  ];
}

/** Guards may see a change by another process up to a second late. */
async function eventuallySignedOut(
  isStillSignedIn: () => Promise<boolean>,
): Promise<"holds" | "broken"> {
  const until = performance.now() + 3_000;
  while (await isStillSignedIn()) if (performance.now() > until) return "broken";
  return "holds";
}
