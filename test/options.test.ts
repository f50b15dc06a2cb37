import assert from "node:assert/strict";
import { test } from "node:test";
import { pathsUnder } from "../src/http/paths.ts";
import { DEVELOPMENT_SECRET } from "../src/identity/session-token.ts";
import { createAuth } from "../src/index.ts";
import { Fault } from "../src/lib/fault.ts";
import { settleOptions } from "../src/settle-options.ts";
import { SECRET } from "./support/gate.ts";
import { optionsWith } from "./support/options.ts";
import { recordingLog } from "./support/recording-log.ts";
import { openStore } from "./support/store.ts";

test("accepts any app name of up to 60 characters unchanged", () => {
  for (const appName of ["x", "Zoë’s place <b>", "x".repeat(60)]) {
    assert.equal(settleOptions(optionsWith({ pages: { appName } })).pages.appName, appName);
  }
});

test("accepts a base path of several segments, which is the home path by default", () => {
  for (const basePath of ["/auth", "/a/b", "/my-app.v2/~auth_1"]) {
    const settled = settleOptions(optionsWith({ basePath }));
    const { base, home } = pathsUnder(settled.basePath, settled.homePath);
    assert.deepEqual([base, home], [basePath, basePath]);
  }
  assert.equal(settleOptions(optionsWith({ basePath: "/auth", homePath: "/me" })).homePath, "/me");
  assert.equal(pathsUnder("", undefined).home, "/");
});

test("refuses the other paths of Latchkey as home path", async (t) => {
  const store = await openStore(t);
  const auth = createAuth(optionsWith({ store, basePath: "/auth", api: true }));
  t.after(() => auth.close());
  const settling = (homePath: string) => () =>
    settleOptions(optionsWith({ basePath: "/auth", homePath }));
  for (const path of ["/auth/login/", ...auth.adapter.paths].filter((one) => one !== "/auth"))
    assert.throws(settling(path), { code: "invalid_option" }, path);
  for (const path of ["/login", "/auth/account/", "/auth/logins", "/auth/api", "/api/session"])
    settling(path)();
});

for (const secret of [undefined, ""]) {
  test(`uses the development secret for ${JSON.stringify(secret)}, with a warning`, () => {
    const log = recordingLog();
    assert.equal(settleOptions(optionsWith({ secret, log })).secret, DEVELOPMENT_SECRET);
    assert.equal(log.lines.length, 1);
    assert.equal(
      log.lines[0]?.message,
      "the option secret is not set: using the built-in development secret, so anyone can forge sessions. Run `latchkey secret` and set the option secret to its output.",
    );
    assert.ok(!JSON.stringify(log.lines).includes(DEVELOPMENT_SECRET));
  });
}

for (const [what, secrets] of [
  ["no secret", { secret: undefined }],
  ["an empty secret", { secret: "" }],
  ["the development secret", { secret: DEVELOPMENT_SECRET }],
  ["a placeholder", { secret: "change-me-please" }],
  ["a secret of 31 characters", { secret: SECRET.slice(0, 31) }],
  ["a short previous secret", { previousSecrets: [SECRET, SECRET.slice(0, 31)] }],
  ["the development secret as previous secret", { previousSecrets: [DEVELOPMENT_SECRET] }],
] as const) {
  test(`createAuth throws with ${what} when NODE_ENV is production`, async (t) => {
    const log = recordingLog();
    const options = optionsWith({ store: await openStore(t), log, ...secrets });
    t.mock.property(process, "env", { ...process.env, NODE_ENV: "production" });
    assert.throws(
      () => createAuth(options),
      (error) => {
        assert.ok(error instanceof Fault);
        assert.equal(error.code, "guessable_secret");
        assert.match(error.message, /^the option (s|previousS)ecrets? .* NODE_ENV is production/);
        const hidden = [DEVELOPMENT_SECRET, SECRET.slice(0, 31)];
        assert.ok(!hidden.some((one) => error.message.includes(one)));
        return true;
      },
    );
    assert.deepEqual(log.lines, []);
    await createAuth({ ...options, secret: SECRET, previousSecrets: [] }).close();
    process.env.NODE_ENV = "development";
    await createAuth(options).close();
  });
}

test("logs to the console by default", (t) => {
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

test("copies and freezes the options", () => {
  const trustedOrigins = ["https://app.example.org"];
  const trustedProxies = ["10.0.0.1"];
  const hashing = { atOnce: 1, waiting: 5 };
  const allowed = ["Auth.Example.org."];
  const hosts = { allowed, trustedOrigins, trustedProxies };
  const options = { ...optionsWith(), hosts, signIn: { hashing } };
  const settled = settleOptions(options);
  allowed.push("evil.example");
  trustedOrigins.push("https://evil.example");
  trustedProxies.push("0.0.0.0/0");
  hashing.atOnce = 64;
  options.secret = "another";
  assert.deepEqual(settled.hosts, {
    allowed: ["auth.example.org"],
    publicUrl: undefined,
    cookieDomain: undefined,
    trustedOrigins: ["https://app.example.org"],
    trustedProxies: ["10.0.0.1"],
  });
  assert.deepEqual(settled.signIn.hashing, { atOnce: 1, waiting: 5 });
  assert.equal(settled.secret, SECRET);
  const lists = Object.values(settled.hosts).filter((value) => value !== undefined);
  for (const part of [settled, settled.hosts, ...lists, settled.signIn.hashing]) {
    assert.ok(Object.isFrozen(part));
  }
});

test("rejects a publicUrl outside cookieDomain", async (t) => {
  const store = await openStore(t);
  const at = (publicUrl: string) => ({
    ...{ store, secret: SECRET },
    hosts: { publicUrl, cookieDomain: "example.test" },
  });
  assert.throws(() => createAuth(at("https://auth.example.org")), { code: "invalid_option" });
  const auth = createAuth(at("https://auth.example.test"));
  assert.ok(Object.isFrozen(auth));
  await auth.close();
});
