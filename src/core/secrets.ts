import { DEVELOPMENT_SECRET } from "./session-token.ts";

export interface Secrets {
  /** `undefined` or empty means the development secret. */
  readonly secret: string | undefined;
  readonly previousSecrets: readonly string[];
  /** Only in `production`, secrets are refused. */
  readonly nodeEnv: string | undefined;
}

export type SecretProblem = "not-set" | "placeholder" | "previous-public";

/** Refuses, in production, the secrets that attackers try first: they could forge sessions. */
export function secretProblem(secrets: Secrets): SecretProblem | undefined {
  const { secret, previousSecrets, nodeEnv } = secrets;
  if (nodeEnv !== "production") return undefined;
  const given = secret || DEVELOPMENT_SECRET;
  if (given === DEVELOPMENT_SECRET) return "not-set";
  if (isPlaceholder(given)) return "placeholder";
  const isPublic = (one: string): boolean => one === DEVELOPMENT_SECRET || isPlaceholder(one);
  return previousSecrets.some(isPublic) ? "previous-public" : undefined;
}

const MIN_BYTES = 32;
const MIN_CHARACTERS = 10;

/** Words of placeholder secrets: a secret of these words only is easy to guess. */
const PLACEHOLDERS =
  /passphrase|development|password|latchkey|insecure|default|example|replace|session|signing|change|please|random|secret|strong|super|auth|here|long|must|some|test|this|todo|very|your|app|for|jwt|key|the|top|me|my|it|a|\d/g;

/** Why an attacker could guess the secret; `undefined` if nothing suggests it. */
export function secretWeakness(secret: string): string | undefined {
  if (secret === DEVELOPMENT_SECRET)
    return "it is the built-in development secret, which is public";
  if (isPlaceholder(secret)) return "it is a placeholder that attackers try first";
  if (Buffer.byteLength(secret) < MIN_BYTES) {
    return `it has fewer than ${MIN_BYTES} bytes`;
  }
  return new Set(secret).size < MIN_CHARACTERS ? "it has too few different characters" : undefined;
}

/** Whether the secret has placeholder words only, or repeats one piece, such as `xxxx`. */
function isPlaceholder(secret: string): boolean {
  const words = secret.toLowerCase().replace(/[^\p{L}\d]/gu, "");
  if (words !== "" && words.replace(PLACEHOLDERS, "") === "") return true;
  // A text that repeats a piece occurs within its doubled text before the middle.
  return `${secret}${secret}`.indexOf(secret, 1) < secret.length;
}
