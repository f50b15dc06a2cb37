import { test } from "node:test";
import { checkLimit, checkProxy } from "../../src/doctor/proxy.ts";
import { whereInstalled } from "../proxies/program.ts";
import { startGate } from "../support/gate.ts";
import { assertCheck } from "./installation.ts";
import { beforeGate } from "./nginx.ts";

test("sees no proxy in a gate itself, nor without an address", async (t) => {
  const none = ["ok", /^no sign of a reverse proxy/] as const;
  await assertCheck(checkProxy, {}, none);
  await assertCheck(checkProxy, { url: (await startGate(t)).url }, none);
});

test("reports TRUSTED_PROXIES that trusts every client of a family", async () => {
  const withRanges = (TRUSTED_PROXIES: string) => ({ env: { TRUSTED_PROXIES } });
  const wide = ["::/0", "10.0.0.0/8,0.0.0.0/0", "0.0.0.0/1,128.0.0.0/1"];
  for (const ranges of [...wide, "0.0.0.0/00", "::ffff:0:0/96"]) {
    const all = ["problem", /trusts every client/, /only$/] as const;
    await assertCheck(checkProxy, withRanges(ranges), all);
  }
  const some = withRanges("127.0.0.1,10.0.0.0/8,2400:cb00::/32");
  await assertCheck(checkProxy, some, ["ok", /^TRUSTED_PROXIES is 127\.0\.0\.1,/]);
});

whereInstalled("nginx", (nginx) => {
  test("reports a proxy that is not in TRUSTED_PROXIES, by name", async (t) => {
    const gate = await startGate(t);
    const url = await beforeGate(t, nginx, gate.url);
    await assertCheck(checkProxy, { url }, [
      "problem",
      /there is a proxy at http:.* \(nginx.*\), but TRUSTED_PROXIES is empty/,
      /X-Forwarded-For/,
    ]);
  });
});

test("recommends LIMIT_IPV6_PREFIX=64 where others reach the gate", async () => {
  const alone = /each IPv6 address has its own rate limit/;
  const recommended = ["hint", alone, /LIMIT_IPV6_PREFIX=64/] as const;
  const env = { HOST: "0.0.0.0" };
  await assertCheck(checkLimit, { env }, recommended);
  await assertCheck(checkLimit, { url: "https://auth.example.org" }, recommended);
  const limited = { ...env, LIMIT_IPV6_PREFIX: "56" };
  await assertCheck(checkLimit, { env: limited }, ["ok", /IPv6 \/56$/]);
  await assertCheck(checkLimit, {});
});
