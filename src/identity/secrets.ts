import { DEVELOPMENT_SECRET } from "./session-token.ts";

interface Secrets {
  /** `undefined` or an empty text means the development secret. */
  readonly secret: string | undefined;
  readonly previousSecrets: readonly string[];
}

/** Describes a secret that an attacker could guess, and then forge sessions with. */
export interface WeakSecret {
  readonly which: keyof Secrets;
  /** The text completes "the secret is weak: …", and does not contain the secret itself. */
  readonly weakness: string;
  /** True for the built-in development secret, which is public. */
  readonly isBuiltIn: boolean;
}

/**
 * Finds the secrets that production refuses. Checks all secrets, since a session can be signed with
 * any of them.
 */
export function findWeakSecrets({ secret, previousSecrets }: Secrets): readonly WeakSecret[] {
  const all: readonly (readonly [keyof Secrets, string])[] = [
    ["secret", secret || DEVELOPMENT_SECRET],
    ...previousSecrets.map((previous) => ["previousSecrets", previous] as const),
  ];
  return all.flatMap(([which, text]) => {
    const weakness = findWeakness(text);
    return weakness === undefined
      ? []
      : [{ which, weakness, isBuiltIn: text === DEVELOPMENT_SECRET }];
  });
}

const MIN_LENGTH = 32;
const MIN_CHARACTERS = 10;

/**
 * The pattern matches words of placeholder secrets. A secret that contains only these words is easy
 * to guess.
 */
const PLACEHOLDERS =
  /passphrase|development|password|latchkey|insecure|default|example|replace|session|signing|change|please|random|secret|strong|super|auth|here|long|must|some|test|this|todo|very|your|app|for|jwt|key|the|top|me|my|it|a|\d/g;

/**
 * Explains why an attacker could guess the secret. Returns `undefined` if no check finds a
 * weakness.
 */
function findWeakness(secret: string): string | undefined {
  if (secret === DEVELOPMENT_SECRET)
    return "it is unset or the built-in development secret, which is public";
  if (isPlaceholder(secret)) return "it is a placeholder that attackers try first";
  if ([...secret].length < MIN_LENGTH) {
    return `it has fewer than the required ${MIN_LENGTH} characters`;
  }
  return new Set(secret).size < MIN_CHARACTERS ? "it has too few different characters" : undefined;
}

/** Returns whether the secret has placeholder words only, or repeats one piece, such as `xxxx`. */
function isPlaceholder(secret: string): boolean {
  const words = secret.toLowerCase().replace(/[^\p{L}\d]/gu, "");
  if (words !== "" && words.replace(PLACEHOLDERS, "") === "") return true;
  // A text that repeats a piece occurs within its doubled text before the middle.
  return `${secret}${secret}`.indexOf(secret, 1) < secret.length;
}
