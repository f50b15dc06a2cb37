import { test } from "node:test";
import { checkAddress } from "../../src/doctor/address.ts";
import { checkHosts } from "../../src/doctor/hosts.ts";
import { whereInstalled } from "../proxies/program.ts";
import { startGate } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";
import { assertCheck } from "./installation.ts";
import { beforeGate } from "./nginx.ts";

test("reports which host names the settings allow", async () => {
  for (const [env, expected] of [
    [{}, /^any host name is allowed, except for setup while no account exists$/],
    [{ HOST: "::" }, /^any host name is allowed$/],
    [{ ALLOWED_HOSTS: "a.test,127.0.0.1" }, /^ALLOWED_HOSTS allows a\.test, 127\.0\.0\.1$/],
  ] as const) {
    await assertCheck(checkHosts, { env }, ["ok", expected]);
  }
});

test("reports an address whose host is not in ALLOWED_HOSTS, once", async (t) => {
  const { url } = await startGate(t, { allowedHosts: ["example.test"] });
  await assertCheck(checkHosts, { url }, [
    "problem",
    /^requests for 127\.0\.0\.1:\d+ get 421: ALLOWED_HOSTS does not allow this host name$/,
    /^add 127\.0\.0\.1 to ALLOWED_HOSTS, or have the proxy pass on the Host header$/,
  ]);
  await assertCheck(checkAddress, { url });
});

test("gives a hint for a gate on loopback with ALLOWED_HOSTS=* until there is an account", async (t) => {
  const gate = await startGate(t, { allowedHosts: ["*"] });
  const env = { ALLOWED_HOSTS: "*", DATA_DIR: gate.dataDir };
  const hint = ["hint", /DNS rebinding$/, /leave it unset$/] as const;
  await assertCheck(checkHosts, { env }, hint);
  await assertCheck(checkHosts, { env: { ...env, DATA_DIR: await tempDir(t) } }, hint);
  await assertCheck(checkHosts, { env: { ...env, HOST: "::" } }, ["ok", /^any host/]);
  await gate.setUp();
  await assertCheck(checkHosts, { env }, ["ok", /^any host name is allowed$/]);
});

whereInstalled("nginx", (nginx) => {
  test("reports a proxy whose host name cannot reach the setup until there is an account", async (t) => {
    const gate = await startGate(t);
    const url = await beforeGate(t, nginx, gate.url, "proxy_set_header Host home.test;");
    await assertCheck(checkHosts, { url }, [
      "problem",
      /^no account yet, and setup at 127\.0\.0\.1:\d+ returns 421/,
      /^set PUBLIC_URL to http:.*, or add 127\.0\.0\.1 to ALLOWED_HOSTS$/,
    ]);
    await gate.setUp();
    await assertCheck(checkHosts, { url }, ["ok", /^any host name is allowed/]);
  });
});
