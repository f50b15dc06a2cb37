import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { findPublicSuffixProblem } from "../../src/lib/public-suffix.ts";

test("names public suffixes: of registries, of providers, and below wildcards", () => {
  for (const domain of [
    ...["co.uk", "com.au", "home.arpa", "xn--55qx5d.cn", "kawasaki.jp", "any.kawasaki.jp"],
    ...["duckdns.org", "github.io", "ts.net", "compute.amazonaws.com", "s3.amazonaws.com"],
  ]) {
    assert.ok(findPublicSuffixProblem(domain)?.startsWith(`${domain} is a public suffix`), domain);
  }
});

test("accepts domains of their own, and names that no registry has", () => {
  for (const domain of [
    ...["example.org", "example.co.uk", "apps.example.org", "me.duckdns.org", "me.github.io"],
    ...["x.home.arpa", "home.lan", "home.internal", "nas.local", "example.localhost", "fritz.box"],
    ...["city.kawasaki.jp", "example.test"],
  ]) {
    assert.equal(findPublicSuffixProblem(domain), undefined, domain);
  }
});

test("the list is loaded only with a domain to check", () => {
  const code = `
    const { readSettings } = await import("./src/gate/settings/settings.ts");
    const { createRequire } = await import("node:module");
    const { cache } = createRequire(import.meta.url);
    const isLoaded = () => Object.keys(cache).some((file) => file.includes("tldts"));
    const read = (env) => readSettings({ flags: {}, envFile: undefined, env });
    read({ PUBLIC_URL: "https://auth.example.org" });
    const before = isLoaded();
    read({ COOKIE_DOMAIN: "example.org" });
    console.log(before, isLoaded());`;
  const args = ["--input-type=module", "--eval", code];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  assert.equal(stdout, "false true\n", stderr);
});
