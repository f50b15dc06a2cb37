import { type Attack, FEW, forEach, type Tally } from "./attack.ts";
import { accountOf, isSignedIn, send, type Target } from "./target.ts";

const WRONG = "nobody";

/** Cookie headers that are no session, although the token stands in them. `*` stands for it. */
const refused: readonly string[] = [
  // A sibling host can add cookies, but the one that came first is the host's own.
  `session=${WRONG}; session=*`,
  `session=; session=*`,
  `session=${WRONG}; a=1; session=*`,
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

/** A token of one's own must not be taken from anywhere else either. */
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
  about: "sessions under other names, spellings and in duplicate, and cookies by the kilobyte",
  meaning: "Another site or host could put a session of its own in the place of yours.",
  noun: "cookies",
  verb: "taken",
  needs: ["account"],

  async run(target, tally) {
    const { token } = await accountOf(target);
    await forEach(refused, FEW, async (form) => {
      tally.tried();

      if (await isSignedIn(target, form.replace("*", token))) tally.gotThrough(form);
    });
    await forEach(otherPlaces, FEW, async ([name, value]) => {
      tally.tried();
      const headers = { [name]: value.replace("*", token) };
      const answer = await send(target, { path: "/account/password", form: {}, headers });
      if (answer.status === 422 || answer.status < 300) tally.gotThrough(`the header ${name}`);
    });
    for (const query of ["session", "token", "access_token"]) {
      tally.tried();
      const path = `/account/password?${query}=${token}`;
      const answer = await send(target, { path, form: { session: token } });
      if (answer.status === 422) tally.gotThrough(`the query ${query}`);
    }
    await bombs(target, tally);
  },
};

/** Many and long cookies are refused or ignored, and the next request is answered as before. */
async function bombs(target: Target, tally: Tally): Promise<void> {
  const many = Array.from({ length: 1_000 }, (_, at) => `c${at}=1`).join("; ");
  for (const cookie of [many, `session=${"A".repeat(12_000)}`, `a=${"x".repeat(100_000)}`]) {
    tally.tried();
    const headers = { Cookie: cookie };
    const { status } = await send(target, { path: "/account/password", form: {}, headers });
    if (status === 500 || status === 422) {
      tally.gotThrough(`${cookie.length} bytes of cookies are answered with ${status}`);
    }
  }
}
