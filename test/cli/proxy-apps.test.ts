import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { addApps } from "../support/add-app.ts";
import { failureOf, runCommand } from "../support/command.ts";
import { tempDir } from "../support/temp-dir.ts";

const PROXIES = ["caddy", "haproxy", "nginx", "traefik"] as const;
const SCOPE = { PUBLIC_URL: "https://auth.example.org", COOKIE_DOMAIN: "example.org" };

const app = (id: string, host: string, upstream = "http://127.0.0.1:8080") => ({
  id,
  url: `https://${host}`,
  upstream,
});

type Apps = Parameters<typeof addApps> extends [unknown, ...infer List] ? List : never;

/** What the command prints for these apps, and its warnings. */
async function print(t: TestContext, proxy: string, apps: Apps, env = {}, args: string[] = []) {
  const dataDir = await tempDir(t);
  await addApps({ databaseFile: `${dataDir}/latchkey.db` }, ...apps);
  const given = { env: { DATA_DIR: dataDir, ...SCOPE, ...env } };
  const { code, stdout, stderr } = await runCommand(["proxy", proxy, ...args], given);
  return { code, text: stdout, warnings: stderr.trim().split("\n").filter(Boolean) };
}

test("prints all apps with a URL and an upstream, each with its own host and name", async (t) => {
  const apps: Apps = [
    app("a", "photos.example.org"),
    app("b", "my-wiki.example.org", "http://[::1]:81"),
  ];
  for (const proxy of PROXIES) {
    const { code, text, warnings } = await print(t, proxy, apps);
    assert.deepEqual([code, warnings], [0, []], proxy);
    for (const part of ["photos.example.org", "my-wiki.example.org", "127.0.0.1:8080", "[::1]:81"])
      assert.ok(text.includes(part), `${proxy}: ${part}`);
    const asked = text.match(/forward-auth\?\S*/g) ?? [];
    assert.ok(asked.length > 0);
    // An app that is removed after this was printed is refused by the gate.
    for (const url of asked) assert.match(url, /[?&]apps=only/, proxy);
    const listed = await print(t, proxy, apps, {}, ["--groups", "family", "--public", "/x"]);
    assert.match(listed.text, /apps=only&groups=family/, proxy);
  }
});

test("names apps apart, also apart from the names that a configuration has", async (t) => {
  const hosts = ["a-b.example.org", "a.b.example.org", "a-b-example.org", "a-b-example-org-public"];
  const own = ["gate", "latchkey", "claims", "web"].map((name) => `${name}.example.org`);
  const apps = [...hosts, ...own].map((host, at) => app(`x${at}`, host));
  const { text } = await print(t, "traefik", apps, {}, ["--public", "/x"]);
  const names = [...text.matchAll(/^ {4}([\w-]+):$/gm)].map(([, name]) => name);
  const routers = names.slice(0, names.indexOf("claims"));
  assert.equal(new Set(routers).size, routers.length);
  assert.equal(routers.length, 1 + 2 * apps.length);
  const nginx = (await print(t, "nginx", apps)).text;
  const upstreams = nginx.match(/^upstream .*/gm) ?? [];
  assert.equal(new Set(upstreams).size, apps.length + 1);
});

test("leaves out what cannot be in a configuration, and says which app and why", async (t) => {
  const leftOut: Apps = [
    { id: "no-url", upstream: "http://127.0.0.1:1" },
    { id: "no-upstream", url: "https://no.example.org" },
    app("tls", "tls.example.org", "https://127.0.0.1:1"),
    app("gate", "gate.example.org", "http://localhost:3000"),
    app("gate-too", "gate-too.example.org", "http://auth.example.org"),
    app("socket", "socket.example.org", "http://unix:80"),
    app("v6", "[::1]"),
    app("dot", ".example.org"),
    app("flag", "-f.example.org"),
    app("dots", "a..example.org"),
    app("long", `${"a".repeat(64)}.example.org`),
    app("same-host", "A.example.org:8443"),
  ];
  for (const proxy of PROXIES) {
    const alone = await print(t, proxy, [app("a", "a.example.org")]);
    const { code, text, warnings } = await print(t, proxy, [app("a", "a.example.org"), ...leftOut]);
    assert.deepEqual([code, text], [0, alone.text], proxy);
    assert.deepEqual(
      warnings.map((line) => /^latchkey: left out the app ([\w-]+): .+/.exec(line)?.[1]).sort(),
      leftOut.map(({ id }) => id).sort(),
    );
  }
});

test("warns of apps that browsers cannot use with the settings", async (t) => {
  const warningFor = async (url: string, env = {}) => {
    const apps: Apps = [{ id: "x", url, upstream: "http://127.0.0.1:81" }];
    const { code, text, warnings } = await print(t, "caddy", apps, env);
    assert.equal(code, 0);
    assert.ok(text.includes(new URL(url).hostname));
    assert.ok(warnings.length <= 1, warnings.join());
    return warnings[0] ?? "";
  };
  assert.equal(await warningFor("https://x.example.org/path"), "");
  assert.match(
    await warningFor("https://x.other.net"),
    /sign-in at auth\.example\.org does not reach x\.other\.net.*RETURN_DOMAINS=x\.other\.net/,
  );
  assert.equal(await warningFor("https://x.other.net", { RETURN_DOMAINS: "other.net" }), "");
  assert.match(
    await warningFor("http://x.example.org"),
    /the app x: its URL uses http and PUBLIC_URL https/,
  );
  assert.match(
    await warningFor("https://x.example.org:8443"),
    /the app x: its URL has another port than PUBLIC_URL/,
  );
  const plain = { PUBLIC_URL: "http://auth.example.org" };
  assert.match(await warningFor("https://x.example.org", plain), /uses https and PUBLIC_URL http/);
});

test("without PUBLIC_URL, serves an app with the scheme and port of its URL", async (t) => {
  const apps: Apps = [
    { id: "x", url: "http://x.example.org:8080", upstream: "http://127.0.0.1:81" },
  ];
  const { text } = await print(t, "caddy", apps, { PUBLIC_URL: "", COOKIE_DOMAIN: "" });
  assert.ok(text.includes("\nhttp://x.example.org:8080 {\n"), text);
  assert.match(text, /@gate path \/login/);
});

test("refuses a configuration without any app, and names the apps that are left out", async (t) => {
  const dataDir = await tempDir(t);
  await addApps(
    { databaseFile: `${dataDir}/latchkey.db` },
    { id: "a", url: "https://a.example.org" },
  );
  const line = await failureOf(["proxy", "nginx"], { env: { DATA_DIR: dataDir } }, 2);
  assert.match(line, /left out the app a: it has no upstream; no app is left/);
});

test("raises nginx's limit for long hosts only where a host needs it", async (t) => {
  const limit = /server_names_hash_bucket_size 512;/;
  const long = `${"a".repeat(60)}.example.org`;
  assert.match((await print(t, "nginx", [app("a", long)])).text, limit);
  assert.doesNotMatch((await print(t, "nginx", [app("a", "a.example.org")])).text, limit);
});
