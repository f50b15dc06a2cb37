import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isReturnTarget, type ReturnScope } from "../../src/lib/return-target.ts";
import { anyCharacter } from "../support/any-character.ts";

const scopes: readonly (ReturnScope & { readonly own: string })[] = [
  { own: "https://auth.example.test", domains: ["example.test"], port: "" },
  { own: "http://auth.example.test", domains: ["example.test"], port: "" },
  { own: "https://auth.example.test:8443", domains: ["example.test"], port: "8443" },
  { own: "https://auth.example.test", domains: [], port: "" },
  { own: "http://127.0.0.1:3000", domains: [], port: "3000" },
  { own: "https://auth.test", domains: ["*.example.test", "other.test"], port: "" },
].map((scope) => ({
  ...scope,
  protocols: scope.own.startsWith("https:") ? ["https:"] : ["https:", "http:"],
  origins: [scope.own],
}));

const often = (usual: string, ...others: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(usual) }, fc.constantFrom(...others));

const scheme = often("https", "http", "HTTPS", "ftp", "javascript", "blob:https", "", "ws");
const slashes = often("://", ":", ":/", ":///", ":\\\\", ":/\\", "//", "/\\", "/");
const user = often("", "u@", "u:p@", "@", "auth.example.test@", "example.test:443@", "\\@");
const host = fc.oneof(
  fc.constantFrom("auth.example.test", "example.test", "app.example.test", "a..example.test"),
  fc.constantFrom("evil.example", "evilexample.test", "example.test.evil.example", "example.test."),
  fc.constantFrom("app%2eexample.test", "app。example.test", "127.0.0.1", "2130706433", "[::1]"),
  fc.domain(),
  fc.domain().map((name) => `${name}.example.test`),
  fc.string({ unit: anyCharacter, maxLength: 6 }).map((text) => `${text}.example.test`),
);
const port = often("", ":443", ":80", ":8443", ":3000", ":", ":0");
const rest = fc.oneof(
  fc.constantFrom("/", "", "/page?a=b#c", "\\", "#.example.test", "?.example.test"),
  fc.webPath(),
  fc.string({ unit: "binary-ascii", maxLength: 8 }),
);
const address = fc.tuple(scheme, slashes, user, host, port, rest).map((parts) => parts.join(""));

/** An address with any one character put in at any place. */
const disturbed = fc
  .tuple(
    address,
    fc.nat(60),
    fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 1 }),
      fc.constantFrom("\t", "\n", "\\", "@"),
    ),
  )
  .map(([text, at, put]) => text.slice(0, at) + put + text.slice(at));

const pieces = fc
  .array(
    fc.oneof(
      fc.constantFrom("https:", "http:", "/", "/", "\\", "@", ":", "?", "#", ".", "[", "]", "%2f"),
      fc.constantFrom(
        "auth.",
        "example.test",
        "evil.example",
        "443",
        "8443",
        "\t",
        "\n",
        " ",
        "。",
      ),
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.join(""));

const target = fc.oneof(
  address,
  address.filter((text) => URL.canParse(text)).map((text) => new URL(text).href),
  disturbed,
  pieces,
  fc.webUrl(),
  fc.webPath().map((path) => `/${path}`),
  fc.string({ unit: anyCharacter, maxLength: 40 }).map((text) => `/${text}`),
);

/** Label by label, so that no end of a text passes for a domain. */
function isAtOrBelow(hostname: string, domain: string): boolean {
  const [first, ...wanted] = domain.split(".");
  if (first !== "*") wanted.unshift(first ?? "");
  const labels = hostname.split(".");
  const isBelow = labels.length > wanted.length;
  return labels.slice(-wanted.length).join() === wanted.join() && (isBelow || first !== "*");
}

function landsAtHome(target: string, { own, domains, port }: (typeof scopes)[number]): boolean {
  const { origin, protocol, username, password, hostname, port: itsPort } = new URL(target, own);
  if (protocol !== "https:" && (protocol !== "http:" || own.startsWith("https:"))) return false;
  if (username !== "" || password !== "") return false;
  return (
    origin === own || (itsPort === port && domains.some((domain) => isAtOrBelow(hostname, domain)))
  );
}

test("accepts only targets that a browser resolves to an own host", () => {
  const accepted = { paths: 0, addresses: 0 };
  fc.assert(
    fc.property(target, (text) => {
      for (const scope of scopes) {
        if (!isReturnTarget(text, scope)) continue;
        accepted[text.startsWith("/") ? "paths" : "addresses"] += 1;
        assert.ok(landsAtHome(text, scope), `${JSON.stringify(text)} from ${scope.own}`);
      }
    }),
    { numRuns: 5_000 },
  );
  assert.ok(accepted.paths > 100 && accepted.addresses > 100, JSON.stringify(accepted));
});

test("passes an accepted target unchanged through a header and a form", () => {
  fc.assert(
    fc.property(target, (text) => {
      fc.pre(scopes.some((scope) => isReturnTarget(text, scope)));
      assert.equal(new Headers({ Location: text }).get("Location"), text);
      assert.equal(new URLSearchParams(`a=${encodeURIComponent(text)}`).get("a"), text);
    }),
    { numRuns: 500 },
  );
});
