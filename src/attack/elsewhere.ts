/** A name that nobody can own, and one address that belongs to nobody. */
export const ELSEWHERE = "elsewhere.example";
const ADDRESS = "203.0.113.1";

/** Spellings that browsers, parsers and careless checks read differently. */
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

/** `{own}` stands for the own host. */
const hosts: readonly string[] = [
  ELSEWHERE,
  `${ELSEWHERE}/`,
  `x.${ELSEWHERE}`,
  `user@${ELSEWHERE}`,
  `{own}@${ELSEWHERE}`,
  `{own}%40${ELSEWHERE}`,
  `${ELSEWHERE}#@{own}`,
  `${ELSEWHERE}?{own}`,
  `${ELSEWHERE}\\@{own}`,
  `${ELSEWHERE}%00{own}`,
  `{own}.${ELSEWHERE}`,
  `{own}:80@${ELSEWHERE}`,
  `{own}\\.${ELSEWHERE}`,
  `${ELSEWHERE}:443/login`,
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
  `/login?return_to=https://${ELSEWHERE}/`,
  `https://{own}/login?return_to=https://${ELSEWHERE}/`,
  `/\r\nLocation: https://${ELSEWHERE}/`,
  `/%0d%0aLocation:%20https://${ELSEWHERE}/`,
  `https://${ELSEWHERE}/{own}`,
  `https://${ELSEWHERE}{own}/`,
  "https://elsewhere{own}/",
  "https://elsewhere-{own}/",
  `http:${ELSEWHERE}`,
  `https:@${ELSEWHERE}`,
];

/** Every form of an address that leads to another site, some of them only in some browser. */
export function elsewhere(own: string): readonly string[] {
  const joined = starts.flatMap((start) => hosts.map((host) => `${start}${host}`));
  return [...new Set([...whole, ...joined].map((form) => form.replaceAll("{own}", own)))];
}

/** Whether a place that an answer leads to is another site, as a browser reads it. */
export function leadsElsewhere(place: string, from: URL): boolean {
  if (!URL.canParse(place, from)) return false;
  const { protocol, hostname, origin } = new URL(place, from);
  if (/^(javascript|data|vbscript|file|blob):$/.test(protocol)) return true;
  if (origin === from.origin) return false;
  return hostname.includes("elsewhere") || /203\.0\.113\.1|cb00:7101/.test(hostname);
}
