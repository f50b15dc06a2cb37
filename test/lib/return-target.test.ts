import assert from "node:assert/strict";
import { test } from "node:test";
import { isReturnTarget, type ReturnScope } from "../../src/lib/return-target.ts";

const OWN = "https://auth.example.test";
const HOST = "app.example.test";
const protocols = ["https:"];
const domains = ["example.test", "*.sub.test"];
const shared: ReturnScope = { protocols, origins: [OWN], domains, port: "" };
const alone: ReturnScope = { protocols, origins: [OWN], domains: [], port: "" };
const onPort: ReturnScope = { ...shared, origins: [`${OWN}:8443`], port: "8443" };
const overHttp: ReturnScope = {
  ...shared,
  protocols: ["https:", "http:"],
  origins: ["http://auth.example.test"],
};
const byAddress: ReturnScope = {
  ...alone,
  protocols: ["https:", "http:"],
  origins: ["http://127.0.0.1:3000", "http://127.0.0.1", "http://[::1]"],
};
const scopes = [shared, alone, onPort, overHttp, byAddress];

/** Every text with the part put in at every place. */
const everywhere = (text: string, part: string): readonly string[] =>
  Array.from({ length: text.length + 1 }, (_, at) => text.slice(0, at) + part + text.slice(at));

/** Every text with one letter of it written otherwise. */
const oneChanged = (text: string, change: (letter: string) => string): readonly string[] =>
  [...text].map((letter, at) => text.slice(0, at) + change(letter) + text.slice(at + 1));

const codes = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, offset) => String.fromCharCode(from + offset));

const UNPRINTABLE = [
  ...codes(0x00, 0x20),
  ...codes(0x7f, 0xa0),
  ..."\u00ad\u1680\u200b\u200d\u202e\u2028\u2029\u2060\u3000\ufeff\ufffd\ud800é",
];

const SLASHES = ["//", "///", "////", "/\\", "\\\\", "\\/", "\\", "/\\/", "//\\", "/\\\\"];
const SCHEMES =
  "javascript data file ftp ws wss blob:https about mailto vbscript view-source ldap chrome-extension x".split(
    " ",
  );
const HOMOGLYPHS = ["exаmple.test", "eхample.test", "éxample.test", "example.tеst", "examрle.test"];

const hostile: Readonly<Record<string, readonly string[]>> = {
  "an address without a scheme": SLASHES.flatMap((slashes) =>
    ["evil.example/example.test", HOST, "auth.example.test", "@evil.example", ""].map(
      (host) => slashes + host,
    ),
  ),
  "a character that no address shows": UNPRINTABLE.flatMap((character) =>
    ["/page", "//evil.example", `https://${HOST}/page`, `${OWN}/page`].flatMap((text) =>
      everywhere(text, character),
    ),
  ),
  "user info": ["u@", "u:p@", ":p@", "@", ":@", "u%40v@", `${HOST}@`, `${HOST}:443@`].flatMap(
    (user) => [HOST, "auth.example.test", "evil.example"].map((host) => `https://${user}${host}/`),
  ),
  "another scheme": SCHEMES.flatMap((scheme) =>
    ["://auth.example.test/", `://${HOST}/%0aalert(1)`, `:${HOST}`, `:/${HOST}/`].map(
      (rest) => scheme + rest,
    ),
  ),
  "a scheme with other slashes": ["https:", "http:"].flatMap((scheme) =>
    ["", "/", "\\", "\\/", "///", "////", "/\\/", "/ /"].flatMap((slashes) =>
      ["evil.example/", `${HOST}/`, "auth.example.test/"].map((host) => scheme + slashes + host),
    ),
  ),
  "a scheme spelt otherwise": [
    ...oneChanged("https", (letter) => letter.toUpperCase()),
    ...["HTTPS", "HTTP", "Http", "htt%70s", "https:https", "http:https", "+https", "https+http"],
  ].map((scheme) => `${scheme}://${HOST}/`),
  "a backslash in or around the host": [
    ...[`\\.${HOST}`, `\\@${HOST}`, `\\${HOST}`, `\\/${HOST}`].map((end) => `evil.example${end}`),
    ...["\\", "\\evil.example", "\\@evil.example", "\\.evil.example"].map((end) => HOST + end),
  ].map((host) => `https://${host}/`),
  "a port that is another one, or one that needs not be told": [
    ...[":", ":0", ":80", ":443", ":0443", ":00443", ":444", ":8080", ":65535", ":65536"],
    ...[":443443", ":-443", ":+443", ":4 43", ":https", ":443:443", ":8443:", ":08443"],
  ].flatMap((port) => [
    ...[HOST, "auth.example.test"].map((host) => `https://${host}${port}/`),
    ...(port === ":80" ? [`http://${HOST}:80/`] : []),
  ]),
  "capitals in the host": [
    ...oneChanged("app.example.test", (letter) => letter.toUpperCase()).filter(
      (host) => host !== HOST,
    ),
    HOST.toUpperCase(),
    "AUTH.example.test",
  ].map((host) => `https://${host}/`),
  "a dot too many at the end": ["example.test", HOST, "auth.example.test", "example.test."].map(
    (host) => `https://${host}./`,
  ),
  "a host in percent signs": [
    ...oneChanged(HOST, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    ...["%2f", "%5c", "%23", "%3f", "%40", "%00", "%09", "%0a", "%20", "%3a", "%25"].flatMap(
      (sign) => [`evil.example${sign}.example.test`, `evil.example${sign}${HOST}`],
    ),
    "%65vil.example",
  ].map((host) => `https://${host}/`),
  "a host in letters and dots of other scripts": [
    ...["。", "．", "｡", "․", "·"].flatMap((dot) => oneChanged(HOST, () => dot)),
    ...oneChanged(HOST, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
    ...HOMOGLYPHS.flatMap((domain) => [domain, `app.${domain}`]),
    ...["／", "＃", "？", "℀", "＠app"].map((sign) => `evil.example${sign}.example.test`),
    "faß.example.test",
  ].map((host) => `https://${host}/`),
  "a look-alike in its plain spelling": HOMOGLYPHS.flatMap((domain) => [
    new URL(`https://${domain}/`).href,
    new URL(`https://app.${domain}/`).href,
  ]),
  "an address in odd notation": [
    ...["2130706433", "0x7f.0.0.1", "0x7f000001", "0177.0.0.1", "127.1", "127.0.1", "127.0.0.1."],
    ...["127.0.0.01", "127.0.0.2", "0.0.0.0", "localhost", "[::ffff:127.0.0.1]", "127.0.0.1.evil"],
    ...["[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]", "[::2]", "[0::1]", "①②⑦.0.0.1", "127。0。0。1"],
  ].flatMap((host) => [`http://${host}/`, `http://${host}:3000/`]),
  "another host with the domain in it": [
    ...["evil", "x", "-", "auth-"].map((start) => `${start}example.test`),
    ...["example-test", "exampletest", "xample.test", "test", "example.tes", "evil"],
    ...["evil.example,", "auth.example.testevil.example", "auth.example.test.evil.example"],
    ...["#", "#.", "?", "?.", "/.", ";", "/auth.", "&"].map(
      (sign) => `evil.example${sign}example.test`,
    ),
    ...["x", ".", ".test", ".evil.example", "-evil.ex"].map((end) => `example.test${end}`),
  ].flatMap((host) => [`https://${host}`, `https://${host}/`, `http://${host}/`]),
  "the text of a missing domain": ["undefined", "app.undefined", "null", "app.null"].map(
    (host) => `https://${host}/`,
  ),
  "a spelling that a parser would change": [
    ...["/a/../b", "/a/./b", "/a b", '/a"b', "/a<b>", "/%2e%2e/a", "\\a", "?a=b", "#a", ""],
    ...["/a?b c", '/a?"', "/a#b c", "/a\\b"],
  ].flatMap((rest) => [`https://${HOST}${rest}`, OWN + rest]),
  "neither an absolute URL nor a path": [
    ...["", " ", "page", "./page", "../page", "?a=b", "#a", HOST, `${HOST}/`, `${HOST}:443/`],
    ...["null", "undefined", "https", "https:", "https://", "https:///", "http://:80/", "://"],
    ...["https://[", "https://]/", "https://[::1", "https://a b/", "https://%/", "@", ":", "*"],
  ],
  "what is very long": [
    `/${"a".repeat(2_048)}`,
    `${OWN}/${"a".repeat(2_048)}`,
    `https://${"a.".repeat(1_024)}example.test/`,
    `/${"a".repeat(1_000_000)}`,
  ],
};

for (const [what, targets] of Object.entries(hostile)) {
  test(`rejects ${what}`, () => {
    assert.ok(targets.length > 3);
    for (const scope of scopes) {
      const accepted = targets.filter((target) => isReturnTarget(target, scope));
      assert.deepEqual(accepted, [], JSON.stringify(scope));
    }
  });
}

const paths = [
  ...["/", "/page", "/page?a=b&c=d#e", "/a//b", "/a/../b", "/@evil.example", "/:80", "/?"],
  ...["/?to=https://evil.example/", "/?//evil.example", "/#//evil.example", "/%2f/evil.example"],
  ...["/%09/evil.example", "/.//evil.example", "/..//evil.example", '/"><script>', "/a\\b", "/%"],
  `/${"a".repeat(2_047)}`,
];

test("accepts any path of this site", () => {
  for (const scope of scopes) {
    for (const path of paths) {
      assert.ok(isReturnTarget(path, scope), path);
      assert.equal(new URL(path, OWN).origin, OWN, path);
    }
  }
});

const led: readonly (readonly [target: string, scopes: readonly ReturnScope[]])[] = [
  [`${OWN}/`, [shared, alone, overHttp]],
  [`${OWN}/page?a=b#c`, [shared, alone, overHttp]],
  [`${OWN}/?to=https://evil.example/`, [shared, alone, overHttp]],
  ["http://auth.example.test/", [overHttp]],
  [`https://${HOST}/page?a=b#c`, [shared, overHttp]],
  [`http://${HOST}/`, [overHttp]],
  ["https://example.test/", [shared, overHttp]],
  ["https://a.b.c.example.test/", [shared, overHttp]],
  ["https://xn--bcher-kva.example.test/", [shared, overHttp]],
  [`https://${HOST}/@evil.example`, [shared, overHttp]],
  ["https://a.sub.test/", [shared, overHttp]],
  ["https://sub.test/", []],
  [`${OWN}:8443/`, [onPort]],
  [`https://${HOST}:8443/page`, [onPort]],
  [`http://${HOST}:8443/`, []],
  ["http://127.0.0.1:3000/page", [byAddress]],
  ["http://127.0.0.1/page", [byAddress]],
  ["http://[::1]/page", [byAddress]],
  ["https://127.0.0.1/page", []],
  ["http://127.0.0.1:3001/", []],
];

for (const [target, expected] of led) {
  test(`accepts ${target} in ${expected.length} of ${scopes.length} scopes`, () => {
    const allowed = scopes.filter((scope) => isReturnTarget(target, scope));
    assert.deepEqual(allowed, expected);
  });
}
