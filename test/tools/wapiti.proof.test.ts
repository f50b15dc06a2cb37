import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { whereInstalled } from "../proxies/program.ts";
import { execute } from "../support/database.ts";
import { fileWith, tempDir } from "../support/temp-dir.ts";
import { startRelay } from "./relay.ts";
import { countOf, isFault, startTarget, type Target } from "./target.ts";
import { runTool } from "./tool.ts";
import { startWeakServer } from "./weak-server.ts";

/** Without modules for other software and long name guessing. */
const MODULES = `backup blindsql cookieflags crlf csp csrf exec file htaccess http_headers methods
  permanentxss redirect shellshock sql ssrf xss xxe`.split(/\s+/);

/** Reports about correct pages, with the reason why they are correct. */
const FALSE_ALARMS = new Map([
  [
    "Cross Site Request Forgery: Lack of anti CSRF token",
    "Sec-Fetch-Site and Origin identify forms from other sites, so no token is needed",
  ],
  [
    "Cross Site Request Forgery: CSRF token 'token' might be easy to predict",
    "the user enters this token; the page does not contain it, so it cannot be predicted",
  ],
  [
    "HTTP Secure Headers: X-XSS-Protection is not set",
    "browsers have removed the filter it enabled, which itself allowed attacks",
  ],
  [
    "HTTP Secure Headers: Strict-Transport-Security is not set",
    "browsers ignore it without TLS, as here; with TLS it is set",
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
    // The URL that a vulnerable server would fetch, on this machine only.
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
    const { code, output } = await runTool(t, program, args, { folder, withinMs: 240_000 });
    assert.equal(code, 0, output);
    const unused = modules.filter((name) => !output.includes(`Launching module ${name}`));
    assert.deepEqual(unused, [], output);
    return [...findingsIn(await readFile(report, "utf8")), ...fetched];
  }

  async function assertClean(target: Target, findings: readonly string[]): Promise<void> {
    const alarms = findings.filter((finding) => !FALSE_ALARMS.has(finding));
    assert.deepEqual(alarms, []);
    const faults = (await target.answered()).filter(isFault);
    assert.deepEqual(faults, []);
    assert.equal(await target.denials(), 0, "the limiter hid nothing");
  }

  async function startBehindRelay(t: TestContext, env: Readonly<Record<string, string>> = {}) {
    const target = await startTarget(t, {
      TRUSTED_PROXIES: "127.0.0.1",
      SETUP_TOKEN: "off",
      ...env,
    });
    return { target, relay: await startRelay(t, target.url) };
  }

  test("wapiti finds nothing in the public pages", async (t) => {
    const { target, relay } = await startBehindRelay(t);
    await target.setUp();
    await assertClean(target, await scan(t, `${relay.url}/login?error=1&return_to=/`, MODULES));
    assert.ok(countOf(await target.answered(), "/login", "POST") > 100);
    assert.deepEqual(relay.failures, []);
  });

  test("wapiti finds nothing in the setup, and does not bypass its token", async (t) => {
    const tokenFile = await fileWith(t, "a token that no tool guesses");
    const { target, relay } = await startBehindRelay(t, { SETUP_TOKEN_FILE: tokenFile });
    await assertClean(target, await scan(t, `${relay.url}/setup`, MODULES));
    assert.ok(countOf(await target.answered(), "/setup", "POST") > 100);
    assert.equal((await target.signIn()).location, "/setup", "there is still no account");
    assert.deepEqual(relay.failures, []);
  });

  test("wapiti finds nothing when signed in, and changes no account", async (t) => {
    const { target, relay } = await startBehindRelay(t);
    const session = await target.setUp();
    // The forms of an administrator would rename the account.
    execute(target.databaseFile, "UPDATE latchkey_users SET groups = NULL");
    const signedIn = ["-H", `Cookie: session=${session}`];
    await assertClean(target, await scan(t, `${relay.url}/`, MODULES, signedIn));
    assert.ok(countOf(await target.answered(), "/account/password", "POST") > 100);
    assert.equal((await target.signIn()).location, "/");
    assert.deepEqual(relay.failures, []);
  });

  test("wapiti finds the flaws of a vulnerable server", async (t) => {
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
    const kinds = findings.map((finding) => finding.split(": ", 1)[0]);
    assert.ok(findings.includes("Content Security Policy Configuration: CSP is not set"));
    for (const kind of ["Cross Site Scripting", "Open Redirect", "Internal Server Error"]) {
      assert.ok(kinds.includes(kind), `${kind}: ${findings.join("; ")}`);
    }
  });
});

interface Report {
  readonly [part: string]: Readonly<Record<string, readonly { readonly info: string }[]>>;
}

/** Findings of every severity, including anomalies and additional findings. */
function findingsIn(text: string): readonly string[] {
  const report: Report = JSON.parse(text);
  return ["vulnerabilities", "anomalies", "additionals"].flatMap((part) =>
    Object.entries(report[part] ?? {}).flatMap(([name, found]) =>
      found.map(({ info }) => `${name}: ${info}`),
    ),
  );
}
