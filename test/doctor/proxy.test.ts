import { type TestContext, test } from "node:test";
import { checkLimit, checkProxy } from "../../src/doctor/proxy.ts";
import { openSqlite } from "../../src/stores/sqlite/store.ts";
import { whereInstalled } from "../proxies/program.ts";
import { startGate } from "../support/gate.ts";
import { logEntry } from "../support/store.ts";
import { tempDir } from "../support/temp-dir.ts";
import { assertCheck } from "./installation.ts";
import { beforeGate } from "./nginx.ts";

const NO_SIGN = ["ok", /^no sign of a reverse proxy/] as const;

async function withDenialsOf(t: TestContext, ...addresses: readonly string[]): Promise<string> {
  const DATA_DIR = await tempDir(t);
  const store = await openSqlite({ file: `${DATA_DIR}/latchkey.db` });
  const entries = addresses.map((address) =>
    logEntry(`Rate limited login from ${address}`, { type: "signin_rate_limited", address }),
  );
  await store.log.insert([...entries, logEntry("Signed in as owner")]);
  store.close();
  return DATA_DIR;
}

test("denials that all come from one private address give a hint of a proxy missing in TRUSTED_PROXIES", async (t) => {
  for (const address of ["10.1.2.3", "fd00::5"]) {
    const DATA_DIR = await withDenialsOf(t, address, address, address);
    await assertCheck(checkProxy, { env: { DATA_DIR } }, [
      "hint",
      new RegExp(`came from ${address}, and TRUSTED_PROXIES is empty`),
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
    await assertCheck(checkProxy, { env: { DATA_DIR } }, NO_SIGN);
  });
}

test("reads denials as a real gate writes them, which itself does not look like a proxy", async (t) => {
  const { dataDir: DATA_DIR, url, ...gate } = await startGate(t);
  await gate.setUp();
  await assertCheck(checkProxy, { env: { DATA_DIR }, url }, NO_SIGN);
  for (let left = 6; left > 0; left -= 1) await gate.signIn({ password: "wrong" });
  await gate.logEntries(2);
  await assertCheck(checkProxy, { env: { DATA_DIR } }, ["hint", /came from 127\.0\.0\.1/]);
});

test("reports TRUSTED_PROXIES that trusts every client of a family, and accepts a private range", async (t) => {
  const DATA_DIR = await withDenialsOf(t, "10.1.2.3");
  const withRanges = (TRUSTED_PROXIES: string) => ({ env: { TRUSTED_PROXIES, DATA_DIR } });
  for (const ranges of ["::/0", "10.0.0.0/8,0.0.0.0/0", "0.0.0.0/1,128.0.0.0/1"]) {
    const all = ["problem", /trusts every client/, /only$/] as const;
    await assertCheck(checkProxy, withRanges(ranges), all);
  }
  const some = withRanges("127.0.0.1,10.0.0.0/8,2400:cb00::/32");
  await assertCheck(checkProxy, some, ["ok", /^TRUSTED_PROXIES is 127\.0\.0\.1,/]);
});

whereInstalled("nginx", (nginx) => {
  test("reports a proxy at the address that is not in TRUSTED_PROXIES, with its name", async (t) => {
    const gate = await startGate(t);
    const url = await beforeGate(t, nginx, gate.url);
    await assertCheck(checkProxy, { env: { DATA_DIR: gate.dataDir }, url }, [
      "problem",
      /there is a proxy at http:.* \(nginx.*\), but TRUSTED_PROXIES is empty/,
      /X-Forwarded-For/,
    ]);
  });
});

test("recommends LIMIT_IPV6_PREFIX=64 where others reach the gate, and accepts one below 128", async () => {
  const alone = /each IPv6 address has its own rate limit/;
  const recommended = ["hint", alone, /LIMIT_IPV6_PREFIX=64/] as const;
  const env = { HOST: "0.0.0.0" };
  await assertCheck(checkLimit, { env }, recommended);
  await assertCheck(checkLimit, { url: "https://auth.example.org" }, recommended);
  const limited = { ...env, LIMIT_IPV6_PREFIX: "56" };
  await assertCheck(checkLimit, { env: limited }, ["ok", /IPv6 \/56$/]);
  await assertCheck(checkLimit, {});
});
