/** What a Location header can carry as it is, and browsers do not silently drop. */
const PRINTABLE = /^[\x21-\x7e]+$/;

/** Where a redirect may lead: a path of this site, or an absolute http or https URL. */
export function isLocation(text: string): boolean {
  return isLocalPath(text) || originOf(text) !== undefined;
}

/** Browsers read `//host` and `/\host` as another host. */
export function isLocalPath(text: string): boolean {
  return /^\/(?![/\\])/.test(text) && PRINTABLE.test(text);
}

/** The origin of an absolute URL in its plain spelling, `undefined` for anything else. */
export function originOf(text: string): string | undefined {
  const plain = /^https?:\/\/[^/\\]/i.test(text) && PRINTABLE.test(text) && URL.canParse(text);
  return plain ? new URL(text).origin : undefined;
}
