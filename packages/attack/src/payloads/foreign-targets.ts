/** A host name and an address that are reserved for documentation. */
export const FOREIGN_HOST = "elsewhere.example";
const ADDRESS = "203.0.113.1";

/** Prefixes that browsers, URL parsers and weak checks treat differently. */
const starts: readonly string[] = [
  "http://",
  "https://",
  "HTTPS://",
  "hTTps:",
  "https:/",
  "https:///",
  "https:////",
  "https:\\\\",
  "https:/\\",
  "https:\\/",
  "//",
  "///",
  "////",
  "/\\",
  "\\/",
  "\\\\",
  "/\\/",
  "//\\",
  "/%09/",
  "/\t/",
  "\t//",
  "/\n/",
  "\r\n//",
  " //",
  "\u00a0//",
  "\u0000//",
  "\u0001//",
  "/./\\",
  "/.//",
  "/..//",
  "/x/..//",
  "/%2f",
  "/%5c",
  "%2f%2f",
  "/;//",
  "/?//",
  "./",
  "../",
  "\u2215\u2215",
  "\uff0f\uff0f",
  "ftp://",
  "ws://",
  "blob:https://",
  "view-source:https://",
  "url:https://",
  "ht\ntps://",
  "https\t://",
];

/** `{own}` is replaced by the server's own host. */
const hosts: readonly string[] = [
  FOREIGN_HOST,
  `${FOREIGN_HOST}/`,
  `x.${FOREIGN_HOST}`,
  `user@${FOREIGN_HOST}`,
  `{own}@${FOREIGN_HOST}`,
  `{own}%40${FOREIGN_HOST}`,
  `${FOREIGN_HOST}#@{own}`,
  `${FOREIGN_HOST}?{own}`,
  `${FOREIGN_HOST}\\@{own}`,
  `${FOREIGN_HOST}%00{own}`,
  `{own}.${FOREIGN_HOST}`,
  `{own}:80@${FOREIGN_HOST}`,
  `{own}\\.${FOREIGN_HOST}`,
  `${FOREIGN_HOST}:443/login`,
];

const whole: readonly string[] = [
  "javascript:alert(1)",
  "JavaScript:alert(1)",
  "java\nscript:alert(1)",
  "\u0001javascript:alert(1)",
  "javascript://{own}/%0aalert(1)",
  "data:text/html,<script>alert(1)</script>",
  "vbscript:msgbox(1)",
  "file:///etc/passwd",
  `http://${ADDRESS}/`,
  "http://3405803777/",
  "http://0xcb.0x00.0x71.0x01/",
  "http://0313.0.0161.01/",
  "http://203.0.28929/",
  "http://[::ffff:203.0.113.1]/",
  `https://\uff45lsewhere.example/`,
  `https://elsewhere\u3002example/`,
  `https://elsewhere%2eexample/`,
  `https://els\u00adewhere.example/`,
  `/login?return_to=https://${FOREIGN_HOST}/`,
  `https://{own}/login?return_to=https://${FOREIGN_HOST}/`,
  `/\r\nLocation: https://${FOREIGN_HOST}/`,
  `/%0d%0aLocation:%20https://${FOREIGN_HOST}/`,
  `https://${FOREIGN_HOST}/{own}`,
  `https://${FOREIGN_HOST}{own}/`,
  "https://elsewhere{own}/",
  "https://elsewhere-{own}/",
  `http:${FOREIGN_HOST}`,
  `https:@${FOREIGN_HOST}`,
  "http://{own}/",
  "HTTP://{own}/",
  "http:{own}/",
  `http://${FOREIGN_HOST}@{own}/`,
  `https://${FOREIGN_HOST}@{own}/`,
  `https://${FOREIGN_HOST}:80@{own}/`,
  `https://${FOREIGN_HOST}%2f@{own}/`,
  `//${FOREIGN_HOST}@{own}/`,
];

/** Spellings of a URL on another site; some work in some browsers only. */
export function foreignTargets(own: string): readonly string[] {
  const joined = starts.flatMap((start) => hosts.map((host) => `${start}${host}`));
  return [...new Set([...whole, ...joined].map((form) => form.replaceAll("{own}", own)))];
}

/**
 * Whether a browser on the page `from` would resolve the link to another site, or from https to http.
 * User info counts too: browsers ignore it, but other software takes it for the host.
 */
export function isForeign(link: string, from: URL): boolean {
  if (!URL.canParse(link, from)) return false;
  const { protocol, hostname, origin, username } = new URL(link, from);
  if (/^(javascript|data|vbscript|file|blob):$/.test(protocol) || username !== "") return true;
  if (origin === from.origin) return false;
  if (hostname === from.hostname && from.protocol === "https:" && protocol === "http:") return true;
  return hostname.includes("elsewhere") || /203\.0\.113\.1|cb00:7101/.test(hostname);
}
