import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { type TestContext, test } from "node:test";
import { whereInstalled } from "../proxies/program.ts";
import { SECRET } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startTarget } from "./target.ts";
import { runTool } from "./tool.ts";

const LIFETIME = 2_592_000;

interface Writing {
  readonly claims?: object;
  readonly secret?: string | null;
  readonly algorithm?: string;
}

/** How a token differs from one with all claims, and whether it opens the gate. */
const cases: Readonly<Record<string, readonly [Writing, opens: boolean]>> = {
  "a token with all claims": [{}, true],
  "a token with only a user and an expiry": [{ claims: { jti: undefined, iat: undefined } }, true],
  "a token without a signature": [{ secret: null, algorithm: "none" }, false],
  "a token signed with HS384": [{ algorithm: "HS384" }, false],
  "a token signed with HS512": [{ algorithm: "HS512" }, false],
  "a token signed with another secret": [{ secret: "another secret, of this length" }, false],
  "a token that has expired": [{ claims: { iat: 1_600_000_000, exp: 1_700_000_000 } }, false],
  "a token without an expiry": [{ claims: { exp: undefined } }, false],
  "a token of an unknown user": [{ claims: { user_id: "unknown" } }, false],
  "a token whose user is a number": [{ claims: { user_id: 1 } }, false],
};

/** The system's Python first, because the package is installed for it. */
const PYTHONS = ["/usr/bin/python3", "python3"];

const READ = `
import json, sys, jwt
asked = json.loads(sys.argv[1])
claims = jwt.decode(asked["token"], asked["secret"], algorithms=["HS256"])
print(json.dumps({"header": jwt.get_unverified_header(asked["token"]), "claims": claims}))
`;

const WRITE = `
import json, sys, jwt
asked = json.loads(sys.argv[1])
print(json.dumps(jwt.encode(asked["claims"], asked["secret"], algorithm=asked["algorithm"])))
`;

const python = PYTHONS.find(
  (program) => spawnSync(program, ["-c", "import jwt"], { stdio: "ignore" }).status === 0,
);

function register(program: string): void {
  async function ask(t: TestContext, script: string, asked: object): Promise<unknown> {
    const folder = await tempDir(t);
    const args = ["-W", "ignore", "-", JSON.stringify(asked)];
    const using = { folder, withinMs: 180_000, input: script };
    const { code, output } = await runTool(t, program, args, using);
    assert.equal(code, 0, output);
    return JSON.parse(output);
  }

  const read = async (t: TestContext, token: string, secret = SECRET): Promise<Reading> =>
    (await ask(t, READ, { token, secret })) as Reading;

  async function write(t: TestContext, writing: Writing): Promise<string> {
    return String(await ask(t, WRITE, { algorithm: "HS256", secret: SECRET, ...writing }));
  }

  test("PyJWT reads and verifies the sessions of a setup and a sign-in", async (t) => {
    const target = await startTarget(t);
    const tokens = [await target.setUp(), (await target.signIn()).session ?? ""];
    const readings = await Promise.all(tokens.map((token) => read(t, token)));
    for (const { header, claims } of readings) {
      assert.equal(header.alg, "HS256");
      assert.deepEqual(Object.keys(claims).sort(), ["exp", "iat", "jti", "user_id"]);
      assert.equal(typeof claims.user_id, "string");
      assert.match(String(claims.jti), /^[0-9a-f]{32}$/);
      assert.equal(Number(claims.exp) - Number(claims.iat), LIFETIME);
      assert.ok(Math.abs(Number(claims.iat) - Date.now() / 1_000) < 60);
    }
    const [token = ""] = tokens;
    await assert.rejects(read(t, token, `${SECRET}!`), /InvalidSignatureError/);
    assert.notEqual(readings[0]?.claims.jti, readings[1]?.claims.jti);
    assert.equal(readings[0]?.claims.user_id, readings[1]?.claims.user_id);
  });

  test("accepts only complete tokens of PyJWT with the right secret", async (t) => {
    const target = await startTarget(t);
    const { claims } = await read(t, await target.setUp());
    for (const [what, [{ claims: changed, ...how }, opens]] of Object.entries(cases)) {
      const session = await write(t, {
        ...how,
        claims: { ...claims, jti: "0".repeat(32), ...changed },
      });
      const answer = await target.send("/account/profile", { session });
      const expected = opens ? [200, undefined] : [303, "/login"];
      assert.deepEqual([answer.status, answer.location], expected, what);
      assert.equal(answer.body.includes("Signed in as owner"), opens, what);
    }
  });
}

interface Reading {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

// The package's name is not a program, so this adds a skipped test that names the package.
if (python === undefined) whereInstalled("python3-jwt", () => {});
else register(python);
