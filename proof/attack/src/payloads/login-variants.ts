import type { HttpRequest } from "../http/request.ts";

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
  "127.0.0.1",
  "203.0.113.9, 127.0.0.1",
  "203.0.113.10:80",
  "unknown",
];

const override = ["X-HTTP-Method-Override", "X-Method-Override", "X-HTTP-Method"];

/** Sign-in requests that a rate limiter might attribute to another address or not count at all. */
export function loginVariants(host: string): readonly (readonly [string, Partial<HttpRequest>])[] {
  const spoofed = headerNames.flatMap((name) =>
    addresses.map((address) => [`${name}: ${address}`, { headers: { [name]: address } }] as const),
  );
  const forwarded = ["for=203.0.113.11", 'for="[2001:db8::8]"', "for=unknown;by=127.0.0.1"].map(
    (value) => [`Forwarded: ${value}`, { headers: { Forwarded: value } }] as const,
  );
  const twice = ["203.0.113.12", "203.0.113.13"];
  const paths = [
    "/login/",
    "//login",
    "/./login",
    "/x/../login",
    "/Login",
    "/LOGIN",
    "/%6cogin",
    "/login%20",
    "/login%2f",
    "/login%00",
    "/login;a=1",
    "/login.",
    "/login?x=1",
    "/login?error=1",
  ];
  return [
    ...spoofed,
    ...forwarded,
    ["X-Forwarded-For twice", { headers: { "X-Forwarded-For": twice } }],
    ["X-Forwarded-Proto: https", { headers: { "X-Forwarded-Proto": "https" } }],
    ["X-Forwarded-Host", { headers: { "X-Forwarded-Host": "elsewhere.example" } }],
    ["another Host", { headers: { Host: "localhost" } }],
    ["HTTP/1.0", { version: "1.0" }],
    ["an absolute URL as the path", { path: `http://${host}/login` }],
    ...paths.map((path) => [path, { path }] as const),
    ...["PUT", "PATCH", "HEAD", "QUERY", "post"].map((method) => [method, { method }] as const),
    ...override.map((name) => [name, { method: "PUT", headers: { [name]: "POST" } }] as const),
    ["a session cookie", { headers: { Cookie: "session=nobody" } }],
    ["User-Agent", { headers: { "User-Agent": "Googlebot/2.1" } }],
  ];
}
