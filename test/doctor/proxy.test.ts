import { type TestContext, test } from "node:test";
import { checkLimit, checkProxy } from "../../src/doctor/proxy.ts";
import { openSqlite } from "../../src/stores/sqlite/store.ts";
import { whereInstalled } from "../proxies/program.ts";
import { startGate } from "../support/gate.ts";
import { logEntry } from "../support/store.ts";
import { tempDir } from "../support/temp-dir.ts";
import { assertFound, findings } from "./installation.ts";
import { beforeGate } from "./nginx.ts";

const NO_SIGN = /^no sign of a reverse proxy/;

async function withDenialsOf(t: TestContext, ...addresses: readonly string[]): Promise<string> {
  const DATA_DIR = await tempDir(t);
  const store = await openSqlite({ file: `${DATA_DIR}/latchkey.db` });
  const entries = addresses.map((address) =>
    logEntry(`Rate limited login from ${address}`, { type: "signin_rate_limited" }),
  );
  await store.insertLogEntries([...entries, logEntry("Signed in as owner")]);
  store.close();
  return DATA_DIR;
}

test("denials that all come from one private address give a hint of a proxy missing in TRUSTED_PROXIES", async (t) => {
  for (const address of ["127.0.0.1", "10.1.2.3", "172.18.0.1", "fd00::5"]) {
    const DATA_DIR = await withDenialsOf(t, address, address, address);
    assertFound(await findings(checkProxy, { env: { DATA_DIR } }), [
      "hint",
      new RegExp(`came from ${address.replaceAll(".", "\\.")}, and TRUSTED_PROXIES is empty`),
      /set TRUSTED_PROXIES/,
    ]);
  }
});

for (const [name, ...addresses] of [
  ["from several addresses", "127.0.0.1", "10.1.2.3"],
  ["from a public address", "203.0.113.7", "203.0.113.7"],
  ["missing"],
] as const) {
  test(`denials that are ${name} do not indicate a proxy`, async (t) => {
    const DATA_DIR = await withDenialsOf(t, ...addresses);
    assertFound(await findings(checkProxy, { env: { DATA_DIR } }), ["ok", NO_SIGN]);
  });
}

test("the gate itself does not look like a proxy", async (t) => {
  const { url, dataDir: DATA_DIR } = await startGate(t);
  assertFound(await findings(checkProxy, { env: { DATA_DIR }, url }), ["ok", NO_SIGN]);
});

test("reads denials as a real gate writes them", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  for (let left = 6; left > 0; left -= 1) await gate.signIn({ password: "wrong" });
  await gate.logEntries(2);
  const found = await findings(checkProxy, { env: { DATA_DIR: gate.dataDir } });
  assertFound(found, ["hint", /came from 127\.0\.0\.1/]);
});

for (const ranges of ["0.0.0.0/0", "::/0", "10.0.0.0/8,0.0.0.0/0", "0.0.0.0/1,128.0.0.0/1"]) {
  test(`reports TRUSTED_PROXIES=${ranges}, which trusts every client`, async (t) => {
    const env = { TRUSTED_PROXIES: ranges, DATA_DIR: await tempDir(t) };
    assertFound(await findings(checkProxy, { env }), ["problem", /trusts every client/, /only$/]);
  });
}

test("accepts TRUSTED_PROXIES with some addresses or a private range", async (t) => {
  const DATA_DIR = await withDenialsOf(t, "10.1.2.3");
  const env = { TRUSTED_PROXIES: "127.0.0.1,10.0.0.0/8,2400:cb00::/32", DATA_DIR };
  assertFound(await findings(checkProxy, { env }), ["ok", /^TRUSTED_PROXIES is 127\.0\.0\.1,/]);
});

whereInstalled("nginx", (nginx) => {
  test("reports a proxy at the address that is not in TRUSTED_PROXIES, with its name", async (t) => {
    const gate = await startGate(t);
    const url = await beforeGate(t, nginx, gate.url);
    const DATA_DIR = await withDenialsOf(t, "127.0.0.1");
    assertFound(await findings(checkProxy, { env: { DATA_DIR }, url }), [
      "problem",
      /there is a proxy at http:.* \(nginx.*\), but TRUSTED_PROXIES is empty/,
      /X-Forwarded-For/,
    ]);
    const env = { DATA_DIR, TRUSTED_PROXIES: "127.0.0.1" };
    assertFound(await findings(checkProxy, { env, url }), [
      "ok",
      /^TRUSTED_PROXIES is 127\.0\.0\.1$/,
    ]);
  });
});

test("recommends LIMIT_IPV6_PREFIX=64 where others reach the gate, and accepts one below 128", async () => {
  const recommended = [
    "hint",
    /each IPv6 address has its own rate limit/,
    /LIMIT_IPV6_PREFIX=64/,
  ] as const;
  const env = { HOST: "0.0.0.0" };
  assertFound(await findings(checkLimit, { env }), recommended);
  assertFound(await findings(checkLimit, { url: "https://auth.example.org" }), recommended);
  const limited = { ...env, LIMIT_IPV6_PREFIX: "56" };
  assertFound(await findings(checkLimit, { env: limited }), ["ok", /IPv6 \/56$/]);
  assertFound(await findings(checkLimit, {}));
});
