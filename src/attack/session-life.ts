import { type Attack, CannotTell } from "./attack.ts";
import {
  type Account,
  accountOf,
  isSignedIn,
  isSuccess,
  newAddress,
  send,
  signIn,
} from "./target.ts";
import { partsOf } from "./token-forms.ts";

const THIRTY_DAYS = 2_592_000;

export const sessionLife: Attack = {
  name: "session-life",
  about: "the cookie's attributes, the sign-out, and sessions that were ended",
  meaning: "A session can be read, sent or used where it should not be.",
  noun: "rules",
  verb: "broken",
  needs: ["account"],

  async run(target, tally) {
    const account = await accountOf(target);
    const rule = (what: string, holds: "holds" | "broken"): void => {
      tally.tried();
      if (holds === "broken") tally.gotThrough(what);
    };
    const isTls = target.place.protocol === "https:";
    for (const [what, holds] of cookieRules(account, isTls ? "tls" : "plain")) rule(what, holds);
    for (const [what, holds] of tokenRules(account)) rule(what, holds);

    const shown = await send(target, { path: "/logout", session: account.token });
    rule("a link signs out", shown.cookies.length > 0 ? "broken" : "holds");
    const out = await send(target, { path: "/logout", form: {}, session: account.token });
    const cleared = out.cookies.some((cookie) => /^session=;/.test(cookie) && isOver(cookie));
    rule("the sign-out leaves the cookie", cleared ? "holds" : "broken");
    rule("the sign-out sets a session", out.session === undefined ? "holds" : "broken");

    if (target.workshop === undefined) return;
    const second = await signIn(
      target,
      { username: account.username, password: account.password },
      { from: await newAddress(target) },
    );
    if (!isSuccess(second)) throw new CannotTell("a second sign-in is not taken");
    rule("two sessions are one", second.session === account.token ? "broken" : "holds");
    await target.workshop.endSessions(account.username);
    for (const token of [account.token, second.session]) {
      const lives = await eventuallySignedOut(() => isSignedIn(target, `session=${token}`));
      rule("a session that was ended goes on", lives);
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
    holding("the cookie can be read by scripts", /; *HttpOnly(;|$)/i.test(cookie)),
    holding("the cookie goes along from other sites", /; *SameSite=(Lax|Strict)/i.test(cookie)),
    holding("the cookie is not for the whole site", /; *Path=\/(;|$)/.test(cookie)),
    holding("the cookie lives longer than thirty days", age <= THIRTY_DAYS),
    holding(
      "the cookie goes over plain connections",
      connection === "plain" || /; *Secure(;|$)/i.test(cookie),
    ),
  ];
}

function tokenRules({ token, password }: Account): readonly Holding[] {
  const { header = "", said = {} } = partsOf(token) ?? {};
  const { exp, iat, jti } = said;
  const lives = typeof exp === "number" && typeof iat === "number" ? exp - iat : Number.NaN;
  return [
    holding("the token names another algorithm", /"alg":"HS256"/.test(atob(header))),
    holding("the token lives longer than thirty days", lives <= THIRTY_DAYS),
    holding("the token has no number of its own", /^[0-9a-f]{32}$/.test(String(jti))),
    holding("the token holds the password", !JSON.stringify(said).includes(password)),
  ];
}

/** Guards may see a change of another process up to a second late. */
async function eventuallySignedOut(look: () => Promise<boolean>): Promise<"holds" | "broken"> {
  const until = performance.now() + 3_000;
  while (await look()) if (performance.now() > until) return "broken";
  return "holds";
}
