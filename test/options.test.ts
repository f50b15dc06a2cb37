import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../src/core/fault.ts";
import { DEVELOPMENT_SECRET } from "../src/core/session-token.ts";
import { type AuthOptions, createAuth } from "../src/index.ts";
import { settleOptions } from "../src/options.ts";
import { SECRET } from "./support/gate.ts";
import { recordingLog } from "./support/recording-log.ts";
import { openStore } from "./support/store.ts";

/** No store is ever asked while options are looked at. */
const NO_STORE = {} as AuthOptions["store"];

const optionsWith = (options: Partial<AuthOptions> = {}): AuthOptions => ({
  store: NO_STORE,
  secret: SECRET,
  log: recordingLog(),
  ...options,
});

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

test("what is left out has its default", () => {
  const settled = settleOptions(optionsWith());
  assert.equal(settled.postLoginLocation, "/");
  assert.equal(settled.homePath, "/");
  assert.deepEqual([settled.basePath, settled.forwardAuth], ["", "off"]);
  assert.deepEqual([settled.publicUrl, settled.cookieDomain], [undefined, undefined]);
  assert.equal(settled.pagesDir, undefined);
  assert.equal(settled.setUpDomain, undefined);
  assert.deepEqual([settled.trustedOrigins, settled.trustedProxies], [[], []]);
  assert.ok(settled.hashing.atOnce >= 1 && settled.hashing.atOnce <= 3);
  assert.equal(settled.hashing.waiting, 128);
});

test("by default no setup token is expected, and there is none to delete", async () => {
  const { setupToken } = settleOptions(optionsWith());
  assert.equal(await setupToken.read(), undefined);
  assert.equal(await setupToken.delete(), undefined);
});

test("a home path of null stays null", () => {
  assert.equal(settleOptions(optionsWith({ homePath: null })).homePath, null);
});

test("a base path is taken with any number of parts, and the home page stands at it by default", () => {
  for (const basePath of ["/auth", "/a/b", "/my-app.v2/~auth_1"]) {
    const settled = settleOptions(optionsWith({ basePath }));
    assert.deepEqual([settled.basePath, settled.homePath], [basePath, basePath]);
  }
  assert.equal(settleOptions(optionsWith({ basePath: "/auth", homePath: "/me" })).homePath, "/me");
  assert.equal(settleOptions(optionsWith({ basePath: "" })).homePath, "/");
});

test("a public URL is an origin, and forms may come from there too", () => {
  for (const publicUrl of ["https://auth.example.org", "http://127.0.0.1:3000", "http://[::1]"]) {
    const trustedOrigins = ["https://app.example.org"];
    const settled = settleOptions(optionsWith({ publicUrl, trustedOrigins }));
    assert.equal(settled.publicUrl, publicUrl);
    assert.deepEqual(settled.trustedOrigins, [...trustedOrigins, publicUrl]);
  }
});

test("a cookie domain is a name of two parts or more", () => {
  for (const cookieDomain of ["example.org", "a.b", "my-1.home.example", "xn--bcher-kva.example"]) {
    assert.equal(settleOptions(optionsWith({ cookieDomain })).cookieDomain, cookieDomain);
  }
});

for (const secret of [undefined, ""]) {
  test(`without a secret (${JSON.stringify(secret)}) it is the development secret, with a warning that keeps it to itself`, () => {
    const log = recordingLog();
    assert.equal(settleOptions(optionsWith({ secret, log })).secret, DEVELOPMENT_SECRET);
    assert.equal(log.lines.length, 1);
    assert.match(log.lines[0]?.message ?? "", /development secret, which everybody knows/);
    assert.ok(!JSON.stringify(log.lines).includes(DEVELOPMENT_SECRET));
  });
}

test("with a secret there is no warning", () => {
  const log = recordingLog();
  assert.equal(settleOptions(optionsWith({ log })).secret, SECRET);
  assert.deepEqual(log.lines, []);
});

test("without a log of its own, an application hears of warnings and faults on the console", (t) => {
  const warn = t.mock.method(console, "warn", () => {});
  const error = t.mock.method(console, "error", () => {});
  const { store, secret } = optionsWith({ secret: undefined });
  const { log } = settleOptions({ store, secret });
  assert.match(String(warn.mock.calls[0]?.arguments.join(" ")), /development secret/);
  log.error({ reason: "the disk is full" }, "log entries not written");
  assert.match(
    error.mock.calls[0]?.arguments.map((one) => JSON.stringify(one)).join(" ") ?? "",
    /log entries not written.*the disk is full|the disk is full.*log entries not written/s,
  );
});

test("the options are copied and frozen: what the caller changes afterwards changes nothing", () => {
  const trustedOrigins = ["https://app.example.org"];
  const trustedProxies = ["10.0.0.1"];
  const hashing = { atOnce: 1, waiting: 5 };
  const options = { ...optionsWith(), trustedOrigins, trustedProxies, hashing };
  const settled = settleOptions(options);
  trustedOrigins.push("https://evil.example");
  trustedProxies.push("0.0.0.0/0");
  hashing.atOnce = 64;
  options.secret = "another";
  assert.deepEqual(settled.trustedOrigins, ["https://app.example.org"]);
  assert.deepEqual(settled.trustedProxies, ["10.0.0.1"]);
  assert.deepEqual(settled.hashing, { atOnce: 1, waiting: 5 });
  assert.equal(settled.secret, SECRET);
  for (const part of [settled, settled.trustedOrigins, settled.trustedProxies, settled.hashing]) {
    assert.ok(Object.isFrozen(part));
  }
});

test("an Auth object goes by the options as they were when it was made", async (t) => {
  const trustedOrigins: string[] = [];
  const store = await openStore(t);
  const auth = createAuth({ ...optionsWith({ store }), trustedOrigins });
  t.after(() => auth.close());
  trustedOrigins.push("https://evil.example");
  const answer = await auth.routes.request("/logout", {
    method: "POST",
    headers: { Origin: "https://evil.example", Host: "home.example.org" },
  });
  assert.equal(answer.status, 403);
  assert.ok(Object.isFrozen(auth));
});

test("a public URL whose browsers would drop the cookie is refused", async (t) => {
  const store = await openStore(t);
  const options = { store, secret: SECRET, cookieDomain: "door.test" };
  assert.throws(() => createAuth({ ...options, publicUrl: "https://auth.example.org" }), {
    code: "invalid_option",
  });
  await createAuth({ ...options, publicUrl: "https://auth.door.test" }).close();
});

for (const basePath of ["/..", "/.", "/a/../b", "/a/."]) {
  test(`no base path that browsers would shorten: ${basePath}`, async (t) => {
    const store = await openStore(t);
    assert.throws(() => createAuth({ store, secret: SECRET, basePath }), {
      code: "invalid_option",
    });
  });
}
