/** The code and the tables of docs/openid-connect.md, with a real gate. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { CLAIMS_OF_SCOPES, SCOPES } from "../../src/features/oidc/claims.ts";
import { folderWith } from "../examples/folder-with.ts";
import { run } from "../package/installed.ts";
import { reportSkipped } from "../proxies/program.ts";
import { freePort } from "../support/free-port.ts";
import { startGate } from "../support/gate.ts";
import { partsOf } from "../support/mint.ts";
import { registerApp } from "../support/register-app.ts";
import { rowsOf, text } from "./pages.ts";

const page = text("docs/openid-connect.md");
const CALLBACK = "https://app.example.org/callback";
const ISSUER = "https://auth.example.org";
const LANGUAGES = ["ts", "python", "go"] as const;

/** The code for a language, with the address of the gate. */
function codeFor(language: (typeof LANGUAGES)[number], issuer: string): string {
  const [, code = ""] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page) ?? [];
  return code.replaceAll(ISSUER, issuer);
}

/** Runs one of the two functions of an example. Resolves to what it returns, or to `null`. */
type Call = (name: "start" | "finish", ...given: readonly unknown[]) => Promise<unknown>;

/** Writes the code of an example into a folder. */
type Prepare = (t: TestContext, issuer: string, secret: string) => Promise<Call>;

const examples: Readonly<Record<string, Prepare | undefined>> = {
  async TypeScript(t, issuer, secret) {
    const folder = await folderWith(t, ["openid-client"]);
    // The gate of this test has no certificate.
    const insecure =
      "process.env.CLIENT_SECRET, undefined, { execute: [client.allowInsecureRequests] }";
    const code = codeFor("ts", issuer).replace("process.env.CLIENT_SECRET", insecure);
    await writeFile(join(folder, "app.ts"), code);
    const walk = `
process.env.CLIENT_SECRET = ${JSON.stringify(secret)};
const { startSignIn, finishSignIn } = await import("./app.ts");
const [name, given] = process.argv.slice(2);
const [callback, checks] = JSON.parse(given);
const told = name === "start"
  ? await startSignIn().then(({ url, checks }) => [url, checks])
  : await finishSignIn(new URL(callback), checks).catch(() => null);
console.log(JSON.stringify(told));`;
    await writeFile(join(folder, "walk.mjs"), walk);
    return async (name, ...given) =>
      JSON.parse(await run(folder, "node", "walk.mjs", name, JSON.stringify(given)));
  },

  Python: findPython(),
};

function findPython(): Prepare | undefined {
  const python = ["/usr/bin/python3", "python3"].find(
    (one) => spawnSync(one, ["-c", "import authlib, requests"], { stdio: "ignore" }).status === 0,
  );
  if (python === undefined) return undefined;
  return async (t, issuer, secret) => {
    const folder = await folderWith(t, []);
    const walk = `
import json, os, sys
os.environ["CLIENT_SECRET"] = ${JSON.stringify(secret)}
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
${codeFor("python", issuer)}
def finish(callback, checks):
    try:
        return finish_sign_in(callback, checks)
    except Exception:
        return None

name, given = sys.argv[1:]
print(json.dumps(start_sign_in() if name == "start" else finish(*json.loads(given))))
`;
    await writeFile(join(folder, "app.py"), walk);
    return async (name, ...given) =>
      JSON.parse(await run(folder, python, "-W", "ignore", "app.py", name, JSON.stringify(given)));
  };
}

async function startProvider(t: TestContext) {
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  const gate = await startGate(t, { port, publicUrl: issuer });
  const session = await gate.setUp();
  const app = await registerApp(gate, { name: "My app", redirects: [CALLBACK] });
  assert.equal(app.id, "my-app");
  return { gate, issuer, session, app };
}

for (const [language, prepare] of Object.entries(examples)) {
  if (prepare === undefined) {
    reportSkipped("python3-authlib or python3-requests is not installed");
    continue;
  }
  test(`the ${language} code signs a person in, and nobody by another sign-in`, async (t) => {
    const { gate, issuer, session, app } = await startProvider(t);
    const call = await prepare(t, issuer, app.secret);
    const start = async () => {
      const [url, checks] = (await call("start")) as [string, Readonly<Record<string, string>>];
      const { pathname, search } = new URL(url);
      const { location = "" } = await gate.send(pathname + search, { session });
      assert.ok(location.startsWith(`${CALLBACK}?`), location);
      return { location, checks };
    };
    const [first, second] = [await start(), await start()];
    const claims = (await call("finish", first.location, first.checks)) as Record<string, unknown>;
    const { iss, aud, preferred_username: name, groups } = claims;
    assert.deepEqual([iss, aud, name, groups], [issuer, "my-app", "owner", ["admins"]]);
    assert.equal(await call("finish", first.location, first.checks), null, "a code counts once");

    // A code of another sign-in does not count, whatever an attacker puts beside it.
    assert.equal(await call("finish", second.location, first.checks), null, "with its state");
    for (const [key, value] of Object.entries(second.checks)) {
      const { location, checks } = await start();
      const mixed = { ...checks, [key]: value };
      assert.equal(await call("finish", location, mixed), null, `with another ${key}`);
    }
  });
}

test("the examples have at most thirty lines", () => {
  for (const language of LANGUAGES) {
    const lines = codeFor(language, ISSUER).split("\n").filter(Boolean);
    assert.ok(lines.length > 10 && lines.length <= 30, `${language} has ${lines.length}`);
  }
});

/** The lines of the table below a heading, without its first row. */
const tableBelow = (heading: string): readonly (readonly string[])[] => {
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  return rowsOf(section.split("\n## ")[0] ?? "", /^(?!-+$)./).slice(1);
};

const codesIn = (cell = ""): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

test("the tables have the endpoints, scopes and lifetimes of the gate", async (t) => {
  const { gate, issuer, session, app } = await startProvider(t);
  const { body } = await gate.send("/.well-known/openid-configuration");
  const metadata: Readonly<Record<string, unknown>> = JSON.parse(body);
  const endpoints = Object.entries(metadata)
    .filter(([key]) => /_(endpoint|uri)$/.test(key))
    .map(([, url]) => String(url).slice(issuer.length));
  const listed = tableBelow("Endpoints").flatMap(([, path]) => codesIn(path));
  assert.deepEqual(
    listed.toSorted(),
    ["/.well-known/openid-configuration", ...endpoints].toSorted(),
  );
  const algorithms = metadata.id_token_signing_alg_values_supported as readonly string[];
  assert.deepEqual(algorithms.toSorted(), ["ES256", "RS256"]);
  assert.deepEqual(metadata.scopes_supported, SCOPES);

  const rows = tableBelow("Scopes and claims");
  assert.deepEqual(
    rows.map(([scope]) => codesIn(scope)[0]),
    SCOPES,
  );
  for (const [scope, claims] of rows) {
    const expected = CLAIMS_OF_SCOPES[codesIn(scope)[0] ?? ""] ?? [];
    assert.deepEqual(codesIn(claims).slice(0, expected.length), expected);
  }

  const query = new URLSearchParams({
    client_id: app.id,
    redirect_uri: CALLBACK,
    response_type: "code",
    scope: "openid",
  });
  const { location = "" } = await gate.send(`/oidc/authorize?${query}`, { session });
  const code = new URL(location).searchParams.get("code") ?? "";
  const client = { client_id: app.id, client_secret: app.secret };
  const form = { ...client, grant_type: "authorization_code", code, redirect_uri: CALLBACK };
  const tokens = JSON.parse((await gate.send("/oidc/token", { form })).body);
  const { iat, exp } = partsOf(tokens.id_token).claims;
  const lifetimes = new Map(tableBelow("Lifetimes").map(([what, time]) => [what, time]));
  assert.deepEqual([tokens.expires_in, Number(exp) - Number(iat)], [3_600, 3_600]);
  for (const token of ["access token", "ID token"]) assert.equal(lifetimes.get(token), "1 hour");
});
