import type { App } from "../../db/records.ts";

/**
 * Finds the app whose path a path is below, among apps of one host. Of several, the longest path
 * counts, and of equal ones that of an app that is turned off. An app that is turned off has all
 * paths with its first part: its URL can be that of one of its pages.
 *
 * @param path The path as the client wrote it. Returns `undefined` if it is not certain which path
 *   a server makes of it, for example of one with dots or encoded letters.
 */
export function findAppAtPath(apps: readonly App[], path: string): App | undefined {
  const asked = parsePlainPath(path);
  if (asked === undefined) return undefined;
  let found: { readonly app: App; readonly length: number } | undefined;
  for (const app of apps) {
    const own = getOwnPath(app);
    if (own === undefined) {
      // An app whose paths are not certain can have any path.
      if (app.off !== undefined) return app;
      continue;
    }
    if (asked !== own && !asked.startsWith(`${own}/`)) continue;
    const isLonger = found === undefined || own.length > found.length;
    if (isLonger || (app.off !== undefined && own.length === found?.length))
      found = { app, length: own.length };
  }
  return found?.app;
}

function getOwnPath({ url, off }: App): string | undefined {
  const path = parsePlainPath(URL.parse(url ?? "")?.pathname ?? "");
  if (path === undefined) return undefined;
  if (off !== undefined) return /^(?:\/[^/.]+(?=\/|$))?/.exec(path)?.[0];
  // The URL can be that of a start page, such as `index.php`.
  return path.replace(/\/[^/]*\.(?:php|html?)$/, "");
}

/**
 * Decodes a path, in lower case and without slashes at its end. Returns `undefined` if servers can
 * read it as another path: ASCII characters that are encoded, dots and empty parts that some of them
 * resolve, and letters that stand for others.
 */
function parsePlainPath(path: string): string | undefined {
  if (!/^\/(?:[\w~!$'()*+,=:@./-]|%20|%[89A-F][0-9A-F])*$/i.test(path)) return undefined;
  if (/\/\/|\/\.{1,2}(?:\/|$)/.test(path)) return undefined;
  try {
    const text = decodeURIComponent(path);
    return text.normalize("NFKC") === text ? text.toLowerCase().replace(/\/$/, "") : undefined;
  } catch {
    return undefined;
  }
}
