/** The code of docs/assertions.md, with assertions of a real gate. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { User, UserId } from "../../src/db/records.ts";
import { createAssertions } from "../../src/features/forward-auth/assertions.ts";
import { readSigningKeys } from "../../src/features/oidc/signing-keys.ts";
import { createSeals } from "../../src/identity/seals.ts";
import { folderWith } from "../examples/folder-with.ts";
import { run } from "../package/installed.ts";
import { reportSkipped } from "../proxies/program.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { SECRET, startConfigured } from "../support/gate.ts";
import { encoded, partsOf } from "../support/mint.ts";
import { openStore } from "../support/store.ts";
import { text } from "./pages.ts";

const page = text("docs/assertions.md");
const HOST = "app.example.org";
const GATE = "http://127.0.0.1:3000";
const ANN: User = { id: "user-1" as UserId, username: "ann", groups: ["admins"] };

/** The code for a language, with the address of the gate. */
function codeFor(language: string, gateUrl: string): string {
  const [, code = ""] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page) ?? [];
  assert.ok(code.includes(GATE) && code.includes(HOST));
  assert.ok(code.trim().split("\n").filter(Boolean).length <= 10, "ten lines");
  return code.replace(GATE, gateUrl);
}

/** Prints whom each of the tokens names, or `null` where the code refuses it. */
type Read = (t: TestContext, gateUrl: string, tokens: readonly string[]) => Promise<string>;

const readers: Readonly<Record<string, Read | undefined>> = {
  async TypeScript(t, gateUrl, tokens) {
    const folder = await folderWith(t, ["jose"]);
    await writeFile(join(folder, "app.ts"), codeFor("ts", gateUrl));
    const walk = `
import { userOf } from "./app.ts";
const told = [];
for (const token of JSON.parse(process.argv[2])) {
  const headers = new Headers(token === "" ? {} : { "Latchkey-Assertion": token });
  told.push(await userOf(headers).catch(() => null));
}
console.log(JSON.stringify(told));`;
    await writeFile(join(folder, "walk.mjs"), walk);
    return run(folder, "node", "walk.mjs", JSON.stringify(tokens));
  },

  Python: pythonReader(),
};

function pythonReader(): Read | undefined {
  const python = ["/usr/bin/python3", "python3"].find(
    (one) => spawnSync(one, ["-c", "import jwt, cryptography"], { stdio: "ignore" }).status === 0,
  );
  if (python === undefined) return undefined;
  return async (t, gateUrl, tokens) => {
    const folder = await folderWith(t, []);
    const walk = `${codeFor("python", gateUrl)}
import json, sys

def told(token):
    try:
        return user_of({"Latchkey-Assertion": token} if token else {})
    except Exception:
        return None

print(json.dumps([told(token) for token in json.loads(sys.argv[1])]))
`;
    await writeFile(join(folder, "app.py"), walk);
    return run(folder, python, "-W", "ignore", "app.py", JSON.stringify(tokens));
  };
}

type ReadKeys = Parameters<typeof createAssertions>[0];

/** The keys of a gate, or of another one. */
async function openKeys(t: TestContext, file?: string): Promise<ReadKeys> {
  const store = await openStore(t, file);
  const seals = createSeals(SECRET);
  return () => readSigningKeys({ store, clock: Date, seals, record() {} });
}

/** What an attacker, or another app, could send. */
async function refused(
  genuine: string,
  publicKey: string,
  { known, unknown }: Readonly<Record<"known" | "unknown", ReadKeys>>,
): Promise<Readonly<Record<string, string>>> {
  const [header = "", claims = "", signature = ""] = genuine.split(".");
  const given = partsOf(genuine);
  const of = async (readKeys: ReadKeys, host: string, age = 0): Promise<string> => {
    const clock = fakeClock(Date.now() - age * 1_000);
    return (await createAssertions(readKeys, clock).getAssertion(ANN, host)) ?? "";
  };
  const hs256 = `${encoded({ ...given.header, alg: "HS256" })}.${claims}`;
  const mac = createHmac("sha256", publicKey).update(hs256).digest("base64url");
  const [otherHeader = "", , otherSignature = ""] = (await of(unknown, HOST)).split(".");
  return {
    "for another app": await of(known, "other.example.org"),
    "for an app below": await of(known, `x.${HOST}`),
    expired: await of(known, HOST, 70),
    "of another gate": await of(unknown, HOST),
    "of another key under the known ID": `${header}.${claims}.${otherSignature}`,
    "of an unknown key": `${otherHeader}.${claims}.${signature}`,
    "with another user": `${header}.${encoded({ ...given.claims, sub: "other" })}.${signature}`,
    "with another group": `${header}.${encoded({ ...given.claims, groups: ["x"] })}.${signature}`,
    "with alg none": `${encoded({ ...given.header, alg: "none" })}.${claims}.`,
    "with alg none and a signature": `${encoded({ alg: "none" })}.${claims}.${signature}`,
    "signed with the public key as a secret": `${hs256}.${mac}`,
    "without a signature": `${header}.${claims}.`,
    "not a token": "owner",
    none: "",
  };
}

for (const [language, read] of Object.entries(readers)) {
  if (read === undefined) {
    reportSkipped("python3-jwt or python3-cryptography is not installed");
    continue;
  }
  test(`the ${language} code accepts an assertion for its app only`, async (t) => {
    const { gate, session } = await startConfigured(t, { assertions: "on" });
    const { headers } = await gate.send("/forward-auth", { session, headers: { Host: HOST } });
    const genuine = String(headers["latchkey-assertion"]);
    const { keys } = JSON.parse((await gate.send("/.well-known/latchkey.json")).body);
    const publicKey = keys.find(({ alg }: { readonly alg: string }) => alg === "EdDSA").x;
    const known = await openKeys(t, join(gate.dataDir, "latchkey.db"));
    const cases = await refused(genuine, publicKey, { known, unknown: await openKeys(t) });
    const tokens = [genuine, ...Object.values(cases), genuine];
    const told: readonly unknown[] = JSON.parse(await read(t, gate.url, tokens));
    const { claims } = partsOf(genuine);
    assert.equal(claims.username, "owner");
    assert.deepEqual([told[0], told.at(-1)], [claims, claims]);
    const names = Object.keys(cases);
    const untold = names.filter((_, at) => told[at + 1] !== null);
    assert.deepEqual(untold, []);
    assert.equal(told.length, tokens.length);
  });
}
