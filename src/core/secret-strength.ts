import { DEVELOPMENT_SECRET } from "./session-token.ts";

const FEWEST_BYTES = 32;
const FEWEST_CHARACTERS = 10;

/** What people write where a secret belongs: of nothing but these, anybody would guess it. */
const PLACEHOLDERS =
  /passphrase|development|password|latchkey|insecure|default|example|replace|session|signing|change|please|random|secret|strong|super|auth|here|long|must|some|test|this|todo|very|your|app|for|jwt|key|the|top|me|my|it|a|\d/g;

/** Why others might guess the secret; `undefined` where nothing speaks for it. */
export function secretWeakness(secret: string): string | undefined {
  if (secret === DEVELOPMENT_SECRET) return "it is the development secret, which everybody knows";
  const words = secret.toLowerCase().replace(/[^\p{L}\d]/gu, "");
  if (words !== "" && words.replace(PLACEHOLDERS, "") === "") {
    return "it is a placeholder that others will try first";
  }
  if (Buffer.byteLength(secret) < FEWEST_BYTES) {
    return `it has fewer than ${FEWEST_BYTES} bytes`;
  }
  if (new Set(secret).size < FEWEST_CHARACTERS || isRepeated(secret)) {
    return "it repeats itself";
  }
  return undefined;
}

/** The same piece again and again: found a second time within the text doubled. */
function isRepeated(text: string): boolean {
  return `${text}${text}`.indexOf(text, 1) < text.length;
}
