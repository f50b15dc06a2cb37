import { FOREIGN_HOST } from "./foreign-targets.ts";

/** Characters that parsers remove, decode or take for another one. */
const INSERTED = [
  ..."\t\n\r\0\u000b\f\u0008\u007f\u0085\u00a0\u00ad\u200b\u2028\u202e\ufeff\uff0f\uff3c\u2215",
  ..." \\|^`<>{}[]\"';,*!$()~@:?#&=+%",
  ..."%00,%09,%0a,%0d,%20,%23,%25,%2e,%2f,%3a,%3f,%40,%5c,%c0%af,%e3%80%82,%ff".split(","),
];

/** Written behind a host, before the first slash. */
const BEHIND_HOST = [
  `.${FOREIGN_HOST}`,
  `@${FOREIGN_HOST}`,
  `:x@${FOREIGN_HOST}`,
  `%40${FOREIGN_HOST}`,
  `%2f@${FOREIGN_HOST}`,
  `%00.${FOREIGN_HOST}`,
  `\\@${FOREIGN_HOST}`,
  `\\.${FOREIGN_HOST}`,
  `#@${FOREIGN_HOST}`,
  `?.${FOREIGN_HOST}`,
  `;.${FOREIGN_HOST}`,
  `&.${FOREIGN_HOST}`,
  `-${FOREIGN_HOST}`,
  FOREIGN_HOST,
  ".",
  "..",
  "%2e",
  "\u3002",
  ":",
  ":0",
  ":00",
  ":1",
  ":80",
  ":443",
  ":0443",
  ":8443",
  ":65535",
  ":65536",
  ":-1",
  ":%34%34%33",
  ":443:443",
  ":x",
];

/** Written before a host. */
const BEFORE_HOST = [
  "x",
  "x.",
  "xn--",
  "user@",
  "user:password@",
  ":@",
  "@",
  "%40",
  "%20",
  " ",
  "\t",
  "/",
  "\\",
  "\u00ad",
  "\u200b",
  ".",
  "*.",
  `${FOREIGN_HOST}@`,
  `${FOREIGN_HOST}/`,
  `${FOREIGN_HOST}\\`,
  `${FOREIGN_HOST}#`,
  `${FOREIGN_HOST}?`,
  `${FOREIGN_HOST}\\@`,
  `${FOREIGN_HOST}#@`,
  `${FOREIGN_HOST}?@`,
  `${FOREIGN_HOST}:443/@`,
  `${FOREIGN_HOST}%2f@`,
  `${FOREIGN_HOST}\t@`,
];

const BEHIND_PATH = [
  ..."/ // /. /./ /.. /../ /%2e%2e /%2e%2e/ ;/.. ;a=b ? ?? ?x ?x=1 ?code=x ?state=x # #x #/../ %23 %3f".split(
    " ",
  ),
  ..."/x /x/.. /x/../ /..;/ .html ~ * %2f %5c %00 %0a %0d%0a %09 . .. : :x @ %40 \\ \\.. \\..\\x & &x=1".split(
    " ",
  ),
  "%0d%0aLocation:%20https://elsewhere.example/",
  "?next=https://elsewhere.example/",
  "?redirect_uri=https://elsewhere.example/",
  "&redirect_uri=https://elsewhere.example/",
  "#https://elsewhere.example/",
  "/../../elsewhere.example/",
  "/..//elsewhere.example/",
];

const SCHEMES = [
  "http://",
  "HTTPS://",
  "Https://",
  "HTTP://",
  "https:",
  "https:/",
  "https:///",
  "https:////",
  "https:\\\\",
  "https:/\\",
  "https:\\/",
  "//",
  "/",
  "///",
  "\\\\",
  "",
  " https://",
  "\thttps://",
  "\nhttps://",
  "\0https://",
  "ht\ttps://",
  "https\t://",
  "https:/\t/",
  "https%3a//",
  "https%3a%2f%2f",
  "view-source:https://",
  "blob:https://",
  "filesystem:https://",
  "url:https://",
  "web+https://",
  "intent://",
  "ftp://",
  "ws://",
  "wss://",
  "file://",
  "app://",
  "com.example.app://",
  "javascript://",
  "data://",
  "urn:",
];

const WHOLE = [
  " ",
  "*",
  "null",
  "undefined",
  "about:blank",
  "javascript:alert(1)",
  "JavaScript:alert(1)",
  "java\nscript:alert(1)",
  "java\tscript:alert(1)",
  "\u0001javascript:alert(1)",
  "javascript:alert(1)//{all}",
  "javascript://{host}/%0aalert(1)",
  "data:text/html,<script>alert(1)</script>",
  "data:text/html;base64,PHNjcmlwdD4=",
  "data:,{all}",
  "vbscript:msgbox(1)",
  "file:///etc/passwd",
  "mailto:x@elsewhere.example",
  "urn:ietf:wg:oauth:2.0:oob",
  "urn:ietf:wg:oauth:2.0:oob:auto",
  "postmessage",
  "http://localhost",
  "http://localhost/",
  "http://127.0.0.1/",
  "http://[::1]/",
  "http://0.0.0.0/",
  "http://127.1{path}",
  "http://2130706433{path}",
  "http://0x7f000001{path}",
  "http://[::ffff:127.0.0.1]{path}",
  "http://localhost.elsewhere.example{path}",
  "http://127.0.0.1.elsewhere.example{path}",
  "http://localhost@elsewhere.example{path}",
  "http://127.0.0.1:80@elsewhere.example{path}",
  "http://127.0.0.1\\@elsewhere.example{path}",
  "http://127.0.0.1#@elsewhere.example{path}",
  `https://${FOREIGN_HOST}`,
  `https://${FOREIGN_HOST}{path}`,
  `https://${FOREIGN_HOST}/{host}{path}`,
  `https://${FOREIGN_HOST}/?{all}`,
  `https://${FOREIGN_HOST}/#{all}`,
  `{all} https://${FOREIGN_HOST}/`,
  `{all},https://${FOREIGN_HOST}/`,
  `{all};https://${FOREIGN_HOST}/`,
  `{all}|https://${FOREIGN_HOST}/`,
  `{all}\nhttps://${FOREIGN_HOST}/`,
  `{all}\0https://${FOREIGN_HOST}/`,
  `https://${FOREIGN_HOST}/ {all}`,
  `["{all}"]`,
  '"{all}"',
  "'{all}'",
  "<{all}>",
  "{all} ",
  " {all}",
  "{all}\n",
  "{all}\r\nSet-Cookie: session=x",
  "{all}\t",
  "{all}\0",
];

const swapCase = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );

const encodeAll = (text: string): string =>
  [...text].map((one) => `%${one.charCodeAt(0).toString(16)}`).join("");

/** More than 500 spellings that resemble a redirect URI, or that URI parsers take for it. */
export function redirectVariants(uri: string): readonly string[] {
  const [, scheme = "", host = "", path = ""] = /^([\w.+-]+:\/\/)([^/?#]*)(.*)$/.exec(uri) ?? [];
  const fill = (text: string): string =>
    text.replaceAll("{all}", uri).replaceAll("{host}", host).replaceAll("{path}", path);
  const dots = [
    "/.",
    "/./",
    "/x/..",
    "/x/../",
    "//",
    "/%2e",
    "/%2e/",
    "/x/%2e%2e",
    "\\",
    "/;",
    "/%2f",
  ];
  const middle = Math.floor(path.length / 2);
  const all = [
    ...WHOLE.map(fill),
    ...SCHEMES.map((start) => `${start}${host}${path}`),
    ...BEHIND_HOST.map((end) => `${scheme}${host}${end}${path}`),
    ...BEHIND_HOST.map((end) => `${scheme}${host}${end}`),
    ...BEFORE_HOST.map((start) => `${scheme}${start}${host}${path}`),
    ...BEHIND_PATH.map((end) => `${uri}${end}`),
    ...dots.map((dot) => `${scheme}${host}${dot}${path}`),
    ...INSERTED.map((text) => `${uri}${text}`),
    ...INSERTED.map((text) => `${scheme}${host}${text}${path}`),
    ...INSERTED.map(
      (text) => `${scheme}${host}${path.slice(0, middle)}${text}${path.slice(middle)}`,
    ),
    ...INSERTED.map((text) => `${scheme}${host.slice(0, 2)}${text}${host.slice(2)}${path}`),
    ...INSERTED.map((text) => `${text}${uri}`),
    `${scheme}${swapCase(host)}${path}`,
    `${scheme}${host}${swapCase(path)}`,
    `${scheme}${host.replaceAll(".", "%2e")}${path}`,
    `${scheme}${host.replaceAll(".", "\u3002")}${path}`,
    `${scheme}${host.replace(/^[^.]*\./, "")}${path}`,
    `${scheme}${host}${path.slice(0, -1)}`,
    `${scheme}${host}${path.slice(1)}`,
    `${scheme}${host}`,
    `${scheme}${host}/`,
    `${scheme}${host}${path.replaceAll("/", "\\")}`,
    `${scheme}${host}${path.replaceAll("/", "%2f")}`,
    `${scheme}${host}/${encodeAll(path.slice(1))}`,
    `${scheme}${host}/%${path.charCodeAt(1).toString(16).toUpperCase()}${path.slice(2)}`,
    `${scheme}${encodeAll(host)}${path}`,
    encodeURIComponent(uri),
    encodeURIComponent(encodeURIComponent(uri)),
    encodeURI(`${uri}é`),
    `${uri}${uri}`,
    `${uri}${"a".repeat(3_000)}`,
    `${scheme}${"a".repeat(3_000)}.${host}${path}`,
  ];
  return [...new Set(all)].filter(
    (text) => text !== "" && text !== uri && !isAnotherPort(text, uri),
  );
}

/** An app on the device of a person may listen on any port of a loopback address. */
function isAnotherPort(text: string, uri: string): boolean {
  const [, start = "", end = ""] =
    /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d+)?(\/.*)$/.exec(uri) ?? [];
  const port = text.slice(start.length, text.length - end.length);
  if (start === "" || !text.startsWith(start) || !text.endsWith(end)) return false;
  return port === "" || (/^:[1-9]\d{0,4}$/.test(port) && Number(port.slice(1)) < 65_536);
}
