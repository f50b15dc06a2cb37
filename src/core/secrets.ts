import { DEVELOPMENT_SECRET } from "./session-token.ts";

/** Only `production` refuses the development secret. */
export type Environment = "production" | "other";

export const environmentOf = (nodeEnv: string | undefined): Environment =>
  nodeEnv === "production" ? "production" : "other";

export interface Secrets {
  /** `undefined` or empty means the development secret. */
  readonly secret: string | undefined;
  readonly previousSecrets: readonly string[];
  readonly environment: Environment;
}

/** Refuses the development secret in production, where anyone could forge sessions with it. */
export function secretProblem({
  secret,
  previousSecrets,
  environment,
}: Secrets): string | undefined {
  if (environment !== "production") return undefined;
  if ((secret || DEVELOPMENT_SECRET) === DEVELOPMENT_SECRET) {
    return "AUTH_SECRET must be set to a secret of your own when NODE_ENV is production: run `latchkey secret` to get one";
  }
  return previousSecrets.includes(DEVELOPMENT_SECRET)
    ? "AUTH_SECRET_PREVIOUS must not contain the development secret when NODE_ENV is production: remove it"
    : undefined;
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
  const words = secret.toLowerCase().replace(/[^\p{L}\d]/gu, "");
  if (words !== "" && words.replace(PLACEHOLDERS, "") === "") {
    return "it is a placeholder that attackers try first";
  }
  if (Buffer.byteLength(secret) < MIN_BYTES) {
    return `it has fewer than ${MIN_BYTES} bytes`;
  }
  if (new Set(secret).size < MIN_CHARACTERS || isRepeated(secret)) {
    return "it repeats itself";
  }
  return undefined;
}

/** Whether the text repeats one piece: then it occurs within its doubled text before the middle. */
function isRepeated(text: string): boolean {
  return `${text}${text}`.indexOf(text, 1) < text.length;
}
