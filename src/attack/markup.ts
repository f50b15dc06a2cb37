const ATTRIBUTES = /\b(?:href|src|action|formaction)\s*=\s*"([^"]*)"/gi;
const CARRIED = /<input[^>]*name="(?:return_to|next|redirect|redirect_uri|url)"[^>]*>/gi;
const REFRESH = /http-equiv\s*=\s*"?refresh"?[^>]*url=([^">]*)/gi;

/** Where a page leads to by itself or by its forms and links, and what its forms carry along. */
export function placesIn(html: string): readonly string[] {
  const carried = [...html.matchAll(CARRIED)].flatMap(
    ([input]) => /value="([^"]*)"/i.exec(input)?.[1] ?? [],
  );
  const others = [...html.matchAll(ATTRIBUTES), ...html.matchAll(REFRESH)];
  return [...carried, ...others.map(([, value = ""]) => value)].map(unescaped);
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
};

export const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (whole, name: string) => entities[name] ?? whole);
