/** Where a redirect may lead: a path of this site, or an absolute http or https URL. */
export function isLocation(text: string): boolean {
  return isLocalPath(text) || originOf(text) !== undefined;
}

/** Browsers read `//host` and `/\host` as another host, and drop control characters before that. */
export function isLocalPath(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return /^\/(?![/\\])/.test(text) && !/[\u0000-\u0020\u007f]/.test(text);
}

/** The origin of an absolute URL, `undefined` for a path. */
export function originOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, origin } = new URL(text);
  return protocol === "http:" || protocol === "https:" ? origin : undefined;
}
