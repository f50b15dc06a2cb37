import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { checkAddress, checkHosts } from "../../src/doctor/address.ts";
import { request } from "../../src/doctor/visit-site.ts";
import { whereInstalled } from "../proxies/program.ts";
import { startRecordingApp } from "../proxies/recording-app.ts";
import { freePort } from "../support/free-port.ts";
import { startConfigured, startGate } from "../support/gate.ts";
import { listenOn } from "../support/listen.ts";
import { tempDir } from "../support/temp-dir.ts";
import { assertCheck, assertFound, findings, installation, under } from "./installation.ts";
import { beforeGate, PASSED_ON, startNginx } from "./nginx.ts";

const FINE = ["ok", /^Latchkey answers at .*, and its forms work there$/] as const;

test("recognizes the gate at its address, with and without an account", async (t) => {
  const gate = await startGate(t);
  await assertCheck(checkAddress, { url: gate.url }, FINE);
  await gate.setUp();
  await assertCheck(checkAddress, { url: gate.url }, FINE);
  await assertCheck(checkAddress, {});
});

test("reports an address where nothing listens, or without TLS", async (t) => {
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  await assertCheck(checkAddress, { url: nowhere }, ["problem", /connection refused$/]);
  const url = (await startGate(t)).url.replace("http:", "https:");
  await assertCheck(checkAddress, { url }, ["problem", /does not answer: it does not use TLS$/]);
});

test("does not mistake another application for Latchkey", async (t) => {
  const { place } = await startRecordingApp(t);
  await assertCheck(checkAddress, { url: `http://${place}` }, [
    "problem",
    /is not Latchkey, or .*: GET \/login returns 200, POST \/logout 200$/,
    /\/login/,
  ]);
});

test("uses no sign-in attempt and leaves no log entry", async (t) => {
  const { gate } = await startConfigured(t);
  for (let left = 6; left > 0; left -= 1) await findings(checkAddress, { url: gate.url });
  assert.equal((await gate.signIn()).location, "/");
  const types = (await gate.logEntries(2)).map(({ type }) => type);
  assert.deepEqual(types, ["signup", "signin"]);
});

test("reports which host names the settings allow", async () => {
  for (const [env, expected] of [
    [{}, /^allowed host names: any, except for setup while no account exists$/],
    [{ HOST: "::" }, /^allowed host names: \*$/],
    [{ ALLOWED_HOSTS: "a.test,127.0.0.1" }, /^allowed host names: a\.test, 127\.0\.0\.1$/],
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

test("hints at ALLOWED_HOSTS=* on loopback until there is an account", async (t) => {
  const gate = await startGate(t, { allowedHosts: ["*"] });
  const env = { ALLOWED_HOSTS: "*", DATA_DIR: gate.dataDir };
  const hint = ["hint", /DNS rebinding$/, /leave it unset$/] as const;
  await assertCheck(checkHosts, { env }, hint);
  await assertCheck(checkHosts, { env: { ...env, DATA_DIR: await tempDir(t) } }, hint);
  await assertCheck(checkHosts, { env: { ...env, HOST: "::" } }, ["ok", /names: \*$/]);
  await gate.setUp();
  await assertCheck(checkHosts, { env }, ["ok", /^allowed host names: \*$/]);
});

whereInstalled("nginx", (nginx) => {
  test("reports refused forms if the proxy does not forward Host", async (t) => {
    const gate = await startGate(t);
    // The default of nginx.
    const url = await beforeGate(t, nginx, gate.url, "");
    await assertCheck(checkAddress, { url }, [
      "problem",
      /rejected as cross-site: .* Host header/,
      /proxy_set_header Host \$http_host;.* PUBLIC_URL to http:/,
    ]);
    const port = await freePort();
    const publicUrl = await beforeGate(t, nginx, `http://127.0.0.1:${port}`, "");
    await startGate(t, { port, publicUrl });
    await assertCheck(checkAddress, { url: publicUrl }, FINE);
  });

  test("reports a proxy that does not reach the gate, with the gate's address", async (t) => {
    const port = await freePort();
    const url = await beforeGate(t, nginx, `http://127.0.0.1:${port}`);
    await assertCheck(checkAddress, { env: { PORT: String(port) }, url }, [
      "problem",
      /does not reach the gate: it returns 502$/,
      new RegExp(`forwards to it: http://127\\.0\\.0\\.1:${port}$`),
    ]);
  });

  test("reports a proxy that does not forward forms", async (t) => {
    const gate = await startGate(t);
    const all = `location / { proxy_pass ${gate.url}; ${PASSED_ON} }`;
    const url = await startNginx(t, nginx, `${all} location = /logout { return 405; }`);
    const lost = /does not get its forms: .* POST \/logout 405$/;
    await assertCheck(checkAddress, { url }, ["problem", lost]);
  });

  test("reports ok behind an nginx with the right headers", async (t) => {
    const gate = await startGate(t);
    const locations = `location ~ ^/(login|logout)$ { proxy_pass ${gate.url}; ${PASSED_ON} }`;
    await assertCheck(checkAddress, { url: await startNginx(t, nginx, locations) }, FINE);
  });

  test("suggests the https URL for an address that redirects to it", async (t) => {
    const url = await startNginx(t, nginx, "return 301 https://auth.example.org$request_uri;");
    await assertCheck(checkAddress, { url }, [
      "hint",
      /redirects to https:\/\/auth\.example\.org$/,
      /--url https:\/\/auth\.example\.org$/,
    ]);
  });

  test("hints at plain HTTP next to HTTPS, unless it redirects", async (t) => {
    const gate = await startGate(t);
    const secure = under("https://auth.example.org", installation({ url: gate.url }));
    const site = await secure.visitSite();
    const foundWith = async (locations: string) => {
      const plain = await request(new URL("/login", await startNginx(t, nginx, locations)));
      return checkAddress.run({ ...secure, visitSite: async () => site && { ...site, plain } });
    };
    assertFound(await foundWith("return 308 https://auth.example.org$request_uri;"), FINE);
    assertFound(await foundWith("return 404;"), FINE);
    assertFound(await foundWith(`location / { proxy_pass ${gate.url}; }`), [
      "hint",
      /^http:\/\/auth\.example\.org answers without a redirect to https/,
      /return 301 https/,
    ]);
  });

  test("reports a proxy whose host name cannot reach the setup", async (t) => {
    const gate = await startGate(t);
    const url = await beforeGate(t, nginx, gate.url, "proxy_set_header Host home.test;");
    await assertCheck(checkHosts, { url }, [
      "problem",
      /^no account yet, and setup at 127\.0\.0\.1:\d+ returns 421/,
      /^set PUBLIC_URL to http:.*, or add 127\.0\.0\.1 to ALLOWED_HOSTS$/,
    ]);
    await gate.setUp();
    await assertCheck(checkHosts, { url }, ["ok", /^allowed host names: any/]);
  });
});

test("reports an app that the session does not reach, with the setting", async (t) => {
  const signIn = "http://auth.example.test/login";
  const server = createServer((_, response) => response.writeHead(303, { Location: signIn }).end());
  const url = `http://localhost:${await listenOn(t, server)}`;
  const env = { PUBLIC_URL: "http://auth.example.test" };
  await assertCheck(checkAddress, { url, env }, [
    "problem",
    /^the session of the sign-in at http:\/\/auth\.example\.test does not reach/,
    /^set PUBLIC_URL=http:\/\/localhost, and start the gate again$/,
  ]);
});
