import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../src/core/base/fault.ts";
import {
  type AllowedHosts,
  type AuthOptions,
  createAuth,
  type Locale,
  type ServerLog,
} from "../src/index.ts";
import { optionsWith } from "./support/options.ts";

const invalid: readonly (readonly [options: Partial<AuthOptions>, message: RegExp])[] = [
  [
    { postLoginLocation: "home" },
    /^postLoginLocation is invalid: expected a path such as \/ or an absolute/,
  ],
  [{ postLoginLocation: "" }, /^postLoginLocation is invalid: expected/],
  [{ postLoginLocation: "//evil.example" }, /^postLoginLocation is invalid: expected/],
  [{ postLoginLocation: "javascript:alert(1)" }, /^postLoginLocation is invalid: expected/],
  [{ log: {} as ServerLog }, /^log is invalid: expected an object with the functions warn and/],
  [{ homePath: "home" }, /^homePath is invalid: expected a path, or null/],
  [{ homePath: "" }, /^homePath is invalid: expected/],
  [{ homePath: "https://app.example.org/" }, /^homePath is invalid: expected/],
  [
    { trustedOrigins: ["app.example.org"] },
    /^trustedOrigins is invalid: expected origins such as https:\/\//,
  ],
  [{ trustedOrigins: ["https://app.example.org/"] }, /without a path$/],
  [{ trustedOrigins: ["https://app.example.org", "*"] }, /^trustedOrigins is invalid: expected/],
  [{ trustedOrigins: ["null"] }, /^trustedOrigins is invalid: expected/],
  [{ trustedOrigins: ["HTTPS://app.example.org"] }, /^trustedOrigins is invalid: expected/],
  [{ trustedOrigins: ["https://app.example.org:443"] }, /^trustedOrigins is invalid: expected/],
  ...[[], ["a.test:3000"], ["https://a.test"], ["*.a.test"], [""], ["a b"], "a.test"].map(
    (allowedHosts) =>
      [
        { allowedHosts: allowedHosts as AllowedHosts },
        /^allowedHosts is invalid: expected loopback-setup, or a list of host names without a port/,
      ] as const,
  ),
  [{ trustedProxies: ["10.0.0.0/33"] }, /^10\.0\.0\.0\/33 is neither an IP address nor a range/],
  [{ trustedProxies: ["proxy"] }, /^proxy is neither/],
  [
    { basePath: "auth" },
    /^basePath is invalid: expected a path without a trailing slash, such as \/auth$/,
  ],
  ...["/", "/auth/", "//auth", "/a//b", "/a b", "/a?b", "/a#b", "/a%2fb", "/*", "/:id", "/a\n"].map(
    (basePath) => [{ basePath }, /^basePath is invalid: expected/] as const,
  ),
  [
    { publicUrl: "auth.example.org" },
    /^publicUrl is invalid: expected an origin such as https:.*without a path$/,
  ],
  ...[
    ...["", "null", "/", "//auth.example.org", "ftp://auth.example.org", "https://"],
    ...["https://auth.example.org/", "https://auth.example.org/auth", "https://auth.example.org?a"],
    ...["https://auth.example.org:443", "HTTPS://auth.example.org", "https://Auth.example.org"],
    ...["https://u@auth.example.org", " https://auth.example.org", "https://bücher.example"],
  ].map((publicUrl) => [{ publicUrl }, /^publicUrl is invalid: expected/] as const),
  [
    { cookieDomain: "localhost" },
    /^cookieDomain is invalid: expected a domain .* in lower case and without a port$/,
  ],
  [{ cookieDomain: "example.org; Secure" }, /^cookieDomain is invalid: expected/],
  ...["", " \t", "x".repeat(61), "a\nb", "a\u0000"].map(
    (appName) =>
      [{ appName }, /^appName is invalid: expected one line of 1 to 60 characters$/] as const,
  ),
  [{ accentColor: "#abc;}" }, /^accentColor is invalid: expected a color such as #1a5fb4$/],
  ...["", "it", "EN", "de-AT", "toString"].map(
    (locale) =>
      [{ locale: locale as Locale }, /^locale is invalid: expected en, de, fr, es$/] as const,
  ),
  ...["", "json", "Redirect"].map(
    (onDenied) =>
      [
        { onDenied: onDenied as "redirect" },
        /^onDenied is invalid: expected redirect or negotiate$/,
      ] as const,
  ),
  ...[31, 129, 64.5, Number.NaN].map(
    (limitIpv6Prefix) =>
      [{ limitIpv6Prefix }, /^limitIpv6Prefix is invalid: expected .* from 32 to 128/] as const,
  ),
  [
    { hashing: { atOnce: 0, waiting: 1 } },
    /^hashing is invalid: expected atOnce of 1 or more and waiting of 0/,
  ],
  [{ hashing: { atOnce: 1, waiting: -1 } }, /^hashing is invalid: expected/],
  [{ hashing: { atOnce: Number.NaN, waiting: 1 } }, /^hashing is invalid: expected/],
  [{ hashing: { atOnce: 1, waiting: Number.NaN } }, /^hashing is invalid: expected/],
];

for (const [options, message] of invalid) {
  test(`createAuth rejects ${JSON.stringify(options)} and says what it accepts`, () => {
    assert.throws(
      () => createAuth(optionsWith(options)),
      (error) => {
        assert.ok(error instanceof Fault);
        assert.equal(error.code, "invalid_option");
        assert.match(error.message, message);
        return true;
      },
    );
  });
}
