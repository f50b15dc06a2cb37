import type { HttpVersion } from "../http/http2.ts";
import type { HttpRequest } from "../http/request.ts";

export type LoginVariant = readonly [what: string, request: Partial<HttpRequest>];

const headerNames: readonly string[] = [
  "X-Forwarded-For",
  "X-Real-IP",
  "X-Client-IP",
  "Client-IP",
  "True-Client-IP",
  "CF-Connecting-IP",
  "Fastly-Client-IP",
  "X-Cluster-Client-IP",
  "X-Originating-IP",
  "X-Remote-IP",
  "X-Remote-Addr",
  "X-Azure-ClientIP",
  "X-Host",
  "X-Forwarded",
  "Forwarded-For",
  "Via",
];

const addresses: readonly string[] = [
  "203.0.113.7",
  "::ffff:203.0.113.8",
  "[2001:db8::7]:4711",
  "2001:db8::8",
  "2001:DB8:0::9",
  "127.0.0.1",
  "203.0.113.9, 127.0.0.1",
  "203.0.113.10:80",
  "unknown",
];

/** Sign-ins that a rate limiter might attribute to another client. */
export function otherClients(): readonly LoginVariant[] {
  const spoofed = headerNames.flatMap((name) =>
    addresses.map((address) => [`${name}: ${address}`, { headers: { [name]: address } }] as const),
  );
  const forwarded = ["for=203.0.113.11", 'for="[2001:db8::8]"', "for=unknown;by=127.0.0.1"].map(
    (value) => [`Forwarded: ${value}`, { headers: { Forwarded: value } }] as const,
  );
  const twice = ["203.0.113.12", "203.0.113.13"];
  return [
    ...spoofed,
    ...forwarded,
    ["X-Forwarded-For twice", { headers: { "X-Forwarded-For": twice } }],
    ["X-Forwarded-Proto: https", { headers: { "X-Forwarded-Proto": "https" } }],
    ["X-Forwarded-Host", { headers: { "X-Forwarded-Host": "elsewhere.example" } }],
    ["a session cookie", { headers: { Cookie: "session=nobody" } }],
    ["User-Agent", { headers: { "User-Agent": "Googlebot/2.1" } }],
  ];
}

const paths: readonly string[] = [
  "/login/",
  "/login//",
  "/login/.",
  "//login",
  "/./login",
  "/x/../login",
  "/Login",
  "/LOGIN",
  "/%6cogin",
  "/%4cogin",
  "/logi%6e",
  "/%6C%6F%67%69%6E",
  "/%2flogin",
  "/login%20",
  "/login%2f",
  "/login%3f",
  "/login%00",
  "/login;a=1",
  "/login.",
  "/login.html",
  "/login?",
  "/login?x=1",
  "/login?error=1",
];

const override = ["X-HTTP-Method-Override", "X-Method-Override", "X-HTTP-Method"];

/** Sign-ins in other forms of the same request, which a rate limiter might not count. */
export function otherForms(
  host: string,
  versions: readonly HttpVersion[],
  fields: Readonly<Record<string, string>>,
): readonly LoginVariant[] {
  return [
    ["another Host", { headers: { Host: "localhost" } }],
    ["HTTP/1.0", { version: "1.0" }],
    ...versions.map((version) => [`HTTP/${version}`, { version }] as const),
    ["an absolute URL as the path", { path: `http://${host}/login` }],
    ...paths.map((path) => [path, { path }] as const),
    ...["PUT", "PATCH", "HEAD", "QUERY", "post"].map((method) => [method, { method }] as const),
    ...override.map((name) => [name, { method: "PUT", headers: { [name]: "POST" } }] as const),
    ...otherBodies(fields),
  ];
}

function otherBodies(fields: Readonly<Record<string, string>>): readonly LoginVariant[] {
  const typed = (type: string | undefined, body: string): LoginVariant => [
    `Content-Type: ${type ?? "none"}`,
    { body, headers: { "Content-Type": type } },
  ];
  const form = new URLSearchParams(fields).toString();
  const parts = Object.entries(fields).map(
    ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const chunk = `${Buffer.byteLength(form).toString(16)}\r\n${form}\r\n0\r\n\r\n`;
  const chunked = { "Transfer-Encoding": "chunked", "Content-Length": undefined };
  return [
    typed(undefined, form),
    typed("text/plain", form),
    typed("application/x-www-form-urlencoded; charset=utf-8", form),
    typed("Application/X-WWW-Form-Urlencoded", form),
    typed("application/json", JSON.stringify(fields)),
    typed("multipart/form-data; boundary=b", `${parts.join("")}--b--\r\n`),
    ["a chunked body", { body: chunk, headers: chunked }],
  ];
}

/** Values of X-Forwarded-For that mean one client each, more of them than the limit allows. */
export function clientsBehindProxy(
  ipv6Prefix: number,
): readonly (readonly [what: string, clients: readonly string[]])[] {
  const network = Array.from({ length: 8 }, (_, at) => `2001:db8:2:3:${at}:${at + 1}::1`);
  return [
    [
      "one IPv4 address in several spellings",
      [
        "203.0.113.20",
        "203.0.113.20:80",
        "203.0.113.20:8080",
        "::ffff:203.0.113.20",
        "::FFFF:203.0.113.20",
        "::ffff:cb00:7114",
        "[::ffff:203.0.113.20]:80",
        "0:0:0:0:0:ffff:203.0.113.20",
      ],
    ],
    [
      "one IPv6 address in several spellings",
      [
        "2001:db8:1::a",
        "2001:DB8:1::A",
        "2001:db8:1:0::a",
        "2001:0db8:0001:0000:0000:0000:0000:000a",
        "2001:db8:1:0:0:0:0:a",
        "[2001:db8:1::a]",
        "[2001:db8:1::a]:4711",
        "2001:db8:1::0.0.0.10",
      ],
    ],
    ...(ipv6Prefix <= 64 ? [["the addresses of one /64", network] as const] : []),
  ];
}
