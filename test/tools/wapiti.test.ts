import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { whereInstalled } from "../proxies/program.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startRelay } from "./relay.ts";
import { countOf, isFault, startTarget, type Target } from "./target.ts";
import { runTool } from "./tool.ts";
import { startWeakServer } from "./weak-server.ts";

/** Without those that only look for other people's software, or guess at names for a long time. */
const MODULES = [
  ...["backup", "blindsql", "cookieflags", "crlf", "csp", "csrf", "exec", "file", "htaccess"],
  ...["http_headers", "methods", "permanentxss", "redirect", "shellshock", "sql", "ssrf", "xss"],
  "xxe",
];

/** What is told of every page that is as it should be, and why it is no finding. */
const FALSE_ALARMS = new Map([
  [
    "Cross Site Request Forgery: Lack of anti CSRF token",
    "forms of other sites are told by Sec-Fetch-Site and Origin, and no token is needed",
  ],
  [
    "Cross Site Request Forgery: CSRF token 'token' might be easy to predict",
    "the setup asks people for it: the page has none to give, and so none that can be predicted",
  ],
  [
    "HTTP Secure Headers: X-XSS-Protection is not set",
    "browsers have dropped what it turned on, which could itself be used for attacks",
  ],
  [
    "HTTP Secure Headers: Strict-Transport-Security is not set",
    "browsers ignore it where there is no TLS, as here; with TLS it is set",
  ],
]);

whereInstalled("wapiti", (program) => {
  async function scan(
    t: TestContext,
    url: string,
    modules: readonly string[],
    further: readonly string[] = [],
  ): Promise<readonly string[]> {
    const folder = await tempDir(t);
    // What a server under attack would fetch. Nobody outside this machine is asked for anything.
    const fetched: string[] = [];
    const endpoint = await startWeakServer(t, ({ url: path = "" }, outgoing) => {
      if (!path.startsWith("/get_")) fetched.push(`fetched by the server: ${path}`);
      outgoing.end("{}");
    });
    const report = join(folder, "report.json");
    const args = [
      ...["-u", url, "--scope", "domain", "-m", modules.join(","), "--no-bugreport"],
      ...["--endpoint", `${endpoint}/`, "--store-session", join(folder, "sessions")],
      ...["--store-config", join(folder, "config"), "-f", "json", "-o", report, ...further],
    ];
    const { code, output } = await runTool(t, program, args, { folder, withinMs: 120_000 });
    assert.equal(code, 0, output);
    const unused = modules.filter((name) => !output.includes(`Launching module ${name}`));
    assert.deepEqual(unused, [], output);
    return [...findingsIn(await readFile(report, "utf8")), ...fetched];
  }

  async function assertSound(target: Target, findings: readonly string[]): Promise<void> {
    assert.deepEqual(
      findings.filter((finding) => !FALSE_ALARMS.has(finding)),
      [],
    );
    const faults = (await target.answered()).filter(isFault);
    assert.deepEqual(faults, []);
    assert.equal(await target.denials(), 0, "the limiter hid nothing");
  }

  async function startBehindRelay(t: TestContext, env: Readonly<Record<string, string>> = {}) {
    const target = await startTarget(t, { TRUSTED_PROXIES: "127.0.0.1", ...env });
    return { target, relay: await startRelay(t, target.url) };
  }

  test("wapiti finds nothing in the pages that anybody sees", async (t) => {
    const { target, relay } = await startBehindRelay(t);
    await target.setUp();
    await assertSound(target, await scan(t, `${relay.url}/login?error=1&return_to=/`, MODULES));
    assert.ok(countOf(await target.answered(), "/login", "POST") > 100);
    assert.deepEqual(relay.failures, []);
  });

  test("wapiti finds nothing in the setup, and does not get past its token", async (t) => {
    const tokenFile = join(await tempDir(t), "setup-token");
    await writeFile(tokenFile, "a token that no tool guesses");
    const { target, relay } = await startBehindRelay(t, { SETUP_TOKEN_FILE: tokenFile });
    await assertSound(target, await scan(t, `${relay.url}/setup`, MODULES));
    assert.ok(countOf(await target.answered(), "/setup", "POST") > 100);
    assert.equal((await target.signIn()).location, "/setup", "there is still no account");
    assert.deepEqual(relay.failures, []);
  });

  test("wapiti finds nothing in what it sees signed in, and the owner stays the owner", async (t) => {
    const { target, relay } = await startBehindRelay(t);
    const session = await target.setUp();
    const signedIn = ["-H", `Cookie: session=${session}`];
    await assertSound(target, await scan(t, `${relay.url}/`, MODULES, signedIn));
    assert.ok(countOf(await target.answered(), "/account/password", "POST") > 100);
    assert.equal((await target.signIn()).location, "/");
    assert.deepEqual(relay.failures, []);
  });

  test("wapiti finds the holes in a server that has some", async (t) => {
    const url = await startWeakServer(t, (incoming, outgoing) => {
      const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://weak");
      if (searchParams.get("name")?.includes("'")) outgoing.statusCode = 500;
      const to = searchParams.get("to");
      if (pathname === "/away" && to !== null) {
        outgoing.writeHead(302, { Location: to }).end();
        return;
      }
      outgoing.setHeader("Content-Type", "text/html");
      outgoing.end(
        `<p>Hello ${searchParams.get("name")}</p><a href="/away?to=/">on</a><a href="/?name=you">you</a>`,
      );
    });
    const findings = await scan(t, `${url}/`, ["csp", "redirect", "sql", "xss"]);
    for (const expected of [
      "Content Security Policy Configuration: CSP is not set",
      /^Cross Site Scripting: /,
      /^Open Redirect: /,
      /^Internal Server Error: /,
    ]) {
      assert.ok(
        findings.some((finding) =>
          typeof expected === "string" ? finding === expected : expected.test(finding),
        ),
        `${expected}: ${findings.join("; ")}`,
      );
    }
  });
});

interface Report {
  readonly [part: string]: Readonly<Record<string, readonly { readonly info: string }[]>>;
}

/** Of every severity, with what are called anomalies and additional findings. */
function findingsIn(text: string): readonly string[] {
  const report: Report = JSON.parse(text);
  return ["vulnerabilities", "anomalies", "additionals"].flatMap((part) =>
    Object.entries(report[part] ?? {}).flatMap(([name, found]) =>
      found.map(({ info }) => `${name}: ${info}`),
    ),
  );
}
