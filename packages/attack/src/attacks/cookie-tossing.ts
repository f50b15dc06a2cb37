import { type Attack, CONCURRENCY, forEach, type Tally } from "../attack.ts";
import { isSignedIn, requireAccount, send, type Target } from "../target.ts";

const WRONG = "nobody";
const MAX_SKIPPED = 3;

/** Cookie headers that contain the token (`*`) and must not be accepted as a session. */
const refused: readonly string[] = [
  // A sibling host can add cookies: a few that are not genuine are skipped, but not any number.
  `${`session=${WRONG}; `.repeat(MAX_SKIPPED + 1)}session=*`,
  "Session=*",
  "SESSION=*",
  "session2=*",
  "xsession=*",
  "__Host-session=*",
  "__Secure-session=*",
  "session[]=*",
  "session%=*",
  "%73ession=*",
  "session*",
  'session="*"',
  "session='*'",
  "session==*",
  "session=%20*",
  "session=* x",
  "session=*,",
  "session=a=*",
  "a=session=*",
  "a=1, session=*",
  "a=1&session=*",
  "$Version=1, session=*",
  "session:*",
];

/** Other headers that must not sign anyone in. */
const otherPlaces: readonly (readonly [name: string, value: string])[] = [
  ["Authorization", "Bearer *"],
  ["X-Session", "*"],
  ["X-Auth-Token", "*"],
  ["Session", "*"],
  ["Cookie2", "session=*"],
  ["Remote-User", "owner"],
  ["X-Forwarded-User", "owner"],
  ["X-Remote-User", "owner"],
  ["X-WebAuth-User", "owner"],
];

export const cookieTossing: Attack = {
  name: "cookie-tossing",
  about: "session cookies under other names, in other spellings, duplicated, and very large",
  meaning: "Another site or host could replace your session with one of its own.",
  noun: "cookies",
  verb: "accepted",
  needs: ["account"],

  async run(target, tally) {
    const { token } = await requireAccount(target);
    await forEach(refused, CONCURRENCY, async (cookie) => {
      tally.tried();
      if (await isSignedIn(target, cookie.replace("*", token))) tally.gotThrough(cookie);
    });
    await forEach(otherPlaces, CONCURRENCY, async ([name, value]) => {
      tally.tried();
      const headers = { [name]: value.replace("*", token) };
      const response = await send(target, { path: "/account/password", form: {}, headers });
      if (response.status === 422 || response.status < 300) tally.gotThrough(`the header ${name}`);
    });
    for (const query of ["session", "token", "access_token"]) {
      tally.tried();
      const path = `/account/password?${query}=${token}`;
      const response = await send(target, { path, form: { session: token } });
      if (response.status === 422) tally.gotThrough(`the query ${query}`);
    }
    await sendLargeCookies(target, tally);
  },
};

/** The server must reject or ignore many and long cookies. */
async function sendLargeCookies(target: Target, tally: Tally): Promise<void> {
  const many = Array.from({ length: 1_000 }, (_, at) => `c${at}=1`).join("; ");
  for (const cookie of [many, `session=${"A".repeat(12_000)}`, `a=${"x".repeat(100_000)}`]) {
    tally.tried();
    const headers = { Cookie: cookie };
    const { status } = await send(target, { path: "/account/password", form: {}, headers });
    if (status === 500 || status === 422) {
      tally.gotThrough(`${cookie.length} bytes of cookies: status ${status}`);
    }
  }
}
