import type { Headers } from "../http/request.ts";

/** What is forged, and the headers of the request. */
export type ForgedHeaders = readonly [
  what: string,
  headers: Headers,
  trailers?: Readonly<Record<string, string>>,
];

/** What the client claims. An app must not receive it in any header. */
export const FORGED = "latchkey-attack";

const identity: readonly (readonly string[])[] = [
  ["Remote", "User"],
  ["Remote", "User", "Id"],
  ["Remote", "Groups"],
  ["Remote", "Name"],
  ["Remote", "Email"],
];

/** Many apps treat these characters in a header name as a hyphen, or as an underscore. */
const separators: readonly string[] = [..."-_.~!#$%&'*+^`|"];

const forwarded: Readonly<Record<string, string>> = {
  "X-Forwarded-For": "203.0.113.7",
  "X-Forwarded-Proto": "gopher",
  "X-Forwarded-Host": "elsewhere.example",
};

/** Apps and frameworks take these from a proxy, and then serve another page than it has checked. */
const CHOOSING: readonly string[] = [
  ...["X-Script-Name", "Script-Name", "X-Forwarded-Script-Name", "X-Forwarded-Prefix"],
  ...["X-Forwarded-Path", "X-Forwarded-PathBase", "X-Forwarded-Context", "X-Forwarded-Uri"],
  ...["X-Original-URL", "X-Original-URI", "X-Original-Path", "X-Rewrite-URL", "X-Request-URI"],
  ...["X-Ingress-Path", "X-Envoy-Original-Path", "X-HTTP-Path-Override", "X-Proxy-URL"],
  ...["X-Waws-Unencoded-Url", "X-Vhm-Root", "X-Matched-Path", "X-Invoke-Path", "X-Astro-Path"],
  ...["X-Middleware-Subrequest", "X-Middleware-Rewrite", "X-Accel-Mapping", "X-Sendfile-Type"],
  ...["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Forwarded-Method"],
  ...["Forwarded", "X-Forwarded-Scheme", "X-Forwarded-Ssl", "X-Forwarded-Port", "X-Host"],
  ...["X-Forwarded-Server", "X-Original-Host", "X-HTTP-Host-Override", "Front-End-Https", "Proxy"],
  ...["X-Real-IP", "X-Client-IP", "True-Client-IP"],
];

/** Headers of a signed-in client that must not reach the app, or remove what the proxy sends to it. */
export function forgedHeaders(token: string): readonly ForgedHeaders[] {
  return [
    ...identities(),
    ...clients(),
    ...choices(),
    ...trailers(),
    ...droppedByConnection(),
    ...sessionCookies(token),
  ];
}

function identities(): readonly ForgedHeaders[] {
  const names = identity.flatMap((words) => [
    ...separators.map((separator) => words.join(separator)),
    words.join("-").toUpperCase(),
    words.join("_").toUpperCase(),
    words.join("-").toLowerCase(),
  ]);
  return [...names, "Remote-User_Id", "Remote_User-Id"].flatMap(
    (name): readonly ForgedHeaders[] => [
      [name, { [name]: FORGED }],
      [`${name} twice`, { [name]: [FORGED, FORGED] }],
    ],
  );
}

function clients(): readonly ForgedHeaders[] {
  return Object.entries(forwarded).flatMap(([name, value]): readonly ForgedHeaders[] => {
    const [, ...others] = separators;
    const aliases = others.flatMap((separator) => [
      name.replaceAll("-", separator),
      name.replace("-", separator),
    ]);
    return [
      [name, { [name]: value }],
      [`${name} twice`, { [name]: [value, value] }],
      ...aliases.map((alias): ForgedHeaders => [alias, { [alias]: value }]),
    ];
  });
}

function choices(): readonly ForgedHeaders[] {
  return CHOOSING.flatMap((name): readonly ForgedHeaders[] =>
    ["-", "_", "."].map((separator) => {
      const spelled = name.replaceAll("-", separator);
      return [spelled, { [spelled]: FORGED }];
    }),
  );
}

/** They arrive after a proxy has checked the headers, and some apps then read them as headers. */
function trailers(): readonly ForgedHeaders[] {
  return ["Remote-User", "Remote_User", "X-Script-Name", "X-Forwarded-For"].flatMap(
    (name): readonly ForgedHeaders[] => [
      [`trailer ${name}`, {}, { [name]: FORGED }],
      [`announced trailer ${name}`, { Trailer: name }, { [name]: FORGED }],
    ],
  );
}

/** A proxy must drop the client's headers that Connection names, but not the headers that it adds. */
function droppedByConnection(): readonly ForgedHeaders[] {
  const names = [...identity.map((words) => words.join("-")), ...Object.keys(forwarded)];
  return [...names, names.join(", ")].flatMap((list): readonly ForgedHeaders[] => [
    [`Connection: ${list}`, { Connection: `close, ${list}` }],
    [`Connection: ${list} on a second line`, { Connection: ["close", list] }],
    [
      `Connection: ${list} with forged headers`,
      {
        "Remote-User": FORGED,
        "Remote-User-Id": FORGED,
        ...forwarded,
        Connection: `close, ${list}`,
      },
    ],
  ]);
}

/** The session among other cookies; `*` is the token. */
const cookies: readonly (string | readonly string[])[] = [
  "session=*",
  "session=*; session=*",
  "a=1; session=*; b=2",
  "session=*;a=1",
  "my_session=1; session=*; session2=2",
  'a="session=1"; session=*; session=*',
  ["session=*", "a=1"],
  ["a=1", "session=*"],
  ["session=*", "session=*"],
];

const sessionCookies = (token: string): readonly ForgedHeaders[] =>
  cookies.map((lines) => {
    const Cookie = [lines].flat().map((line) => line.replaceAll("*", token));
    return [`Cookie: ${[lines].flat().join(" and ")}`, { Cookie }];
  });
