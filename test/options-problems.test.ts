import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../src/core/fault.ts";
import { type AllowedHosts, type AuthOptions, createAuth, type Locale } from "../src/index.ts";
import { optionsWith } from "./support/options.ts";

const invalid: readonly (readonly [options: Partial<AuthOptions>, says: RegExp])[] = [
  [{ postLoginLocation: "home" }, /^postLoginLocation takes a path such as \/ or an absolute/],
  [{ postLoginLocation: "" }, /^postLoginLocation takes/],
  [{ postLoginLocation: "//evil.example" }, /^postLoginLocation takes/],
  [{ postLoginLocation: "javascript:alert(1)" }, /^postLoginLocation takes/],
  [{ homePath: "home" }, /^homePath takes a path, or null/],
  [{ homePath: "" }, /^homePath takes/],
  [{ homePath: "https://app.example.org/" }, /^homePath takes/],
  [{ trustedOrigins: ["app.example.org"] }, /^trustedOrigins takes origins such as https:\/\//],
  [{ trustedOrigins: ["https://app.example.org/"] }, /without a path$/],
  [{ trustedOrigins: ["https://app.example.org", "*"] }, /^trustedOrigins takes/],
  [{ trustedOrigins: ["null"] }, /^trustedOrigins takes/],
  [{ trustedOrigins: ["HTTPS://app.example.org"] }, /^trustedOrigins takes/],
  [{ trustedOrigins: ["https://app.example.org:443"] }, /^trustedOrigins takes/],
  ...[[], ["a.test:3000"], ["https://a.test"], ["*.a.test"], [""], ["a b"], "a.test"].map(
    (allowedHosts) =>
      [
        { allowedHosts: allowedHosts as AllowedHosts },
        /^allowedHosts takes loopback-setup, or a list of host names without a port/,
      ] as const,
  ),
  [{ trustedProxies: ["10.0.0.0/33"] }, /^10\.0\.0\.0\/33 is neither an IP address nor a range/],
  [{ trustedProxies: ["proxy"] }, /^proxy is neither/],
  [{ basePath: "auth" }, /^basePath takes a path without a slash at its end, such as \/auth$/],
  ...["/", "/auth/", "//auth", "/a//b", "/a b", "/a?b", "/a#b", "/a%2fb", "/*", "/:id", "/a\n"].map(
    (basePath) => [{ basePath }, /^basePath takes/] as const,
  ),
  [{ publicUrl: "auth.example.org" }, /^publicUrl takes an origin such as https:.*without a path$/],
  ...[
    ...["", "null", "/", "//auth.example.org", "ftp://auth.example.org", "https://"],
    ...["https://auth.example.org/", "https://auth.example.org/auth", "https://auth.example.org?a"],
    ...["https://auth.example.org:443", "HTTPS://auth.example.org", "https://Auth.example.org"],
    ...["https://u@auth.example.org", " https://auth.example.org", "https://bücher.example"],
  ].map((publicUrl) => [{ publicUrl }, /^publicUrl takes/] as const),
  [
    { cookieDomain: "localhost" },
    /^cookieDomain takes a domain .* in lower case and without a port$/,
  ],
  ...[
    ...["", ".", ".example.org", "example.org.", "a..org", "Example.org", "*.example.org"],
    ...["example.org:443", "https://example.org", "example.org/", "127.0.0.1", "[::1]", "1.0x7f"],
    ...["-a.org", "a-.org", "a.org-", "a_b.org", "a b.org", "bücher.example", "u@example.org"],
    ...["example.org; Secure", "example.org\r\nX-Evil: 1", "example.org,example.com"],
  ].map((cookieDomain) => [{ cookieDomain }, /^cookieDomain takes/] as const),
  ...["", " \t", "x".repeat(61), "a\nb", "a\u0000"].map(
    (appName) => [{ appName }, /^appName takes a name of 60 characters at most$/] as const,
  ),
  ...["", "red", "#12", "#1234567", "#abc;}"].map(
    (accentColor) => [{ accentColor }, /^accentColor takes a colour such as #1a5fb4$/] as const,
  ),
  ...["", "it", "EN", "de-AT", "toString"].map(
    (locale) => [{ locale: locale as Locale }, /^locale takes en, de, fr, es$/] as const,
  ),
  ...[31, 129, 64.5, Number.NaN].map(
    (limitIpv6Prefix) => [{ limitIpv6Prefix }, /^limitIpv6Prefix takes .* from 32 to 128/] as const,
  ),
  [{ hashing: { atOnce: 0, waiting: 1 } }, /^hashing takes atOnce of 1 or more and waiting of 0/],
  [{ hashing: { atOnce: 1, waiting: -1 } }, /^hashing takes/],
  [{ hashing: { atOnce: Number.NaN, waiting: 1 } }, /^hashing takes/],
  [{ hashing: { atOnce: 1, waiting: Number.NaN } }, /^hashing takes/],
];

for (const [options, says] of invalid) {
  test(`createAuth refuses ${JSON.stringify(options)} in words that help`, () => {
    assert.throws(
      () => createAuth(optionsWith(options)),
      (error) => {
        assert.ok(error instanceof Fault);
        assert.equal(error.code, "invalid_option");
        assert.match(error.message, says);
        return true;
      },
    );
  });
}

test("a logo that cannot be used stops createAuth, with the reason", () => {
  assert.throws(() => createAuth(optionsWith({ logoFile: "/nowhere/logo.png" })), {
    code: "logo_unusable",
    message: /^the logo \/nowhere\/logo\.png cannot be read: /,
  });
});
