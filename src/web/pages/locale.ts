import { type Locale, locales } from "./words.ts";

const FALLBACK: Locale = "en";

export const isLocale = (text: string): text is Locale => locales.some((one) => one === text);

/** The language that the reader likes best of those there are: `de-AT` is content with `de`. */
export function preferredLocale(acceptLanguage: string | undefined): Locale {
  if (acceptLanguage === undefined) return FALLBACK;
  let best: Locale = FALLBACK;
  let bestWeight = 0;
  for (const range of acceptLanguage.split(",")) {
    const [tag = "", ...parameters] = range.split(";");
    const locale = tag.trim().split("-", 1)[0]?.toLowerCase() ?? "";
    const weight = weightIn(parameters);
    if (isLocale(locale) && weight > bestWeight) {
      best = locale;
      bestWeight = weight;
    }
  }
  return best;
}

/** `q=0.8` of a range, 1 where it has none, 0 where it makes no sense. */
function weightIn(parameters: readonly string[]): number {
  const weights = parameters.map((one) => /^\s*q\s*=(.*)$/i.exec(one)?.[1]);
  const given = weights.find((one) => one !== undefined)?.trim();
  if (given === undefined) return 1;
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(given) ? Number(given) : 0;
}
