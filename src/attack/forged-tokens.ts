import { type Attack, CannotTell, FEW, forEach } from "./attack.ts";
import { accountOf, isSignedIn } from "./target.ts";
import {
  type Forgery,
  misshapen,
  partsOf,
  signed,
  withoutTheSecret,
  wrongClaims,
} from "./token-forms.ts";

/** What people write where a secret belongs. */
const PLACEHOLDERS: readonly string[] = [
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
];

export const forgedTokens: Attack = {
  name: "forged-tokens",
  about: "session tokens made without the secret, or with claims that cannot be right",
  meaning: "Whoever can write such a token is signed in without a password.",
  noun: "tokens",
  verb: "let in",
  needs: ["account"],

  async run(target, tally) {
    const { token } = await accountOf(target);
    const parts = partsOf(token);
    if (parts === undefined) throw new CannotTell("the session is no token that can be read");
    const { workshop, knownSecrets } = target;
    const guesses = [...knownSecrets, ...PLACEHOLDERS].map(
      (secret): Forgery => [
        "a secret that everybody knows or guesses",
        signed(parts.said, { secret }),
      ],
    );
    const forgeries = [
      ...withoutTheSecret(parts),
      ...misshapen(token),
      ...guesses,
      ...(workshop === undefined ? [] : wrongClaims(parts.said, workshop.secret)),
    ];
    await forEach(forgeries, FEW, async ([what, forged]) => {
      tally.tried();
      if (await isSignedIn(target, `session=${forged}`)) tally.gotThrough(what);
    });
  },
};
