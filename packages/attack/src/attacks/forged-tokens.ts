import { type Attack, CONCURRENCY, forEach } from "../attack.ts";
import { Undecided } from "../errors.ts";
import {
  type Forgery,
  malformedTokens,
  partsOf,
  signed,
  tokensWithoutSecret,
  tokensWithWrongClaims,
} from "../payloads/tokens.ts";
import { isSignedIn, requireAccount } from "../target.ts";

/** Secrets that operators leave in place. The last one is Latchkey's built-in development secret. */
const WEAK_SECRETS: readonly string[] = [
  "secret",
  "password",
  "changeme",
  "change-me",
  "change_me",
  "your-256-bit-secret",
  "your-secret-key",
  "supersecret",
  "super-secret",
  "jwt-secret",
  "jwt_secret",
  "auth-secret",
  "AUTH_SECRET",
  "development",
  "default",
  "example",
  "test",
  "latchkey",
  "a long random text",
  "undefined",
  "null",
  "latchkey development secret: everybody knows it",
];

export const forgedTokens: Attack = {
  name: "forged-tokens",
  about: "session tokens made without the secret, or with invalid claims",
  meaning: "An attacker who makes such a token is signed in without a password.",
  noun: "tokens",
  verb: "accepted",
  needs: ["account"],

  async run(target, tally) {
    const { token } = await requireAccount(target);
    const parts = partsOf(token);
    if (parts === undefined) throw new Undecided("the session cookie is not a readable JWT");
    const { access } = target;
    const guesses = WEAK_SECRETS.map(
      (secret): Forgery => ["a published or guessable secret", signed(parts.payload, { secret })],
    );
    const forgeries = [
      ...tokensWithoutSecret(parts),
      ...malformedTokens(token),
      ...guesses,
      ...(access === undefined ? [] : tokensWithWrongClaims(parts.payload, access.secret)),
    ];
    await forEach(forgeries, CONCURRENCY, async ([what, forged]) => {
      tally.tried();
      if (await isSignedIn(target, `session=${forged}`)) tally.gotThrough(what);
    });
  },
};
