/** What a Location header can carry as it is, and browsers do not silently drop. */
export const PRINTABLE: RegExp = /^[\x21-\x7e]+$/;

/** A path of this site. Browsers read `//host` and `/\host` as another host. */
export function isLocalPath(text: string): boolean {
  return /^\/(?![/\\])/.test(text) && PRINTABLE.test(text);
}
