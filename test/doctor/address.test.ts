import assert from "node:assert/strict";
import { test } from "node:test";
import { checkAddress, plainFinding } from "../../src/doctor/address.ts";
import { ask } from "../../src/doctor/site.ts";
import { whereInstalled } from "../proxies/program.ts";
import { startRecordingApp } from "../proxies/recording-app.ts";
import { execute } from "../support/database.ts";
import { freePort } from "../support/free-port.ts";
import { startGate } from "../support/gate.ts";
import { assertFound, findings } from "./installation.ts";
import { beforeGate, PASSED_ON, startNginx } from "./nginx.ts";

const FINE = /^Latchkey answers at .*, and its forms work there$/;

test("reports nothing without an address", async () => {
  assertFound(await findings(checkAddress, {}));
});

test("recognizes the gate at its address, with and without an account", async (t) => {
  const gate = await startGate(t);
  assertFound(await findings(checkAddress, { url: gate.url }), ["ok", FINE]);
  await gate.setUp();
  assertFound(await findings(checkAddress, { url: gate.url }), ["ok", FINE]);
});

test("reports an address where nothing listens", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  assertFound(await findings(checkAddress, { url }), ["problem", /connection refused$/]);
});

test("reports a server without TLS", async (t) => {
  const { url } = await startGate(t);
  const found = await findings(checkAddress, { url: url.replace("http:", "https:") });
  assertFound(found, ["problem", /does not answer: it does not use TLS$/]);
});

test("does not mistake another application for Latchkey", async (t) => {
  const { place } = await startRecordingApp(t);
  const found = await findings(checkAddress, { url: `http://${place}` });
  assertFound(found, [
    "problem",
    /is not Latchkey: GET \/login returns 200, POST \/logout 200$/,
    /\/login/,
  ]);
});

test("reports a database that does not answer, from /readyz", async (t) => {
  const gate = await startGate(t);
  execute(gate.databaseFile, "DROP TABLE users");
  assertFound(await findings(checkAddress, { url: gate.url }), [
    "problem",
    /its database does not answer: \/readyz returns 503$/,
    /log of the gate/,
  ]);
});

test("uses no sign-in attempt and leaves no log entry", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  for (let left = 6; left > 0; left -= 1) await findings(checkAddress, { url: gate.url });
  assert.equal((await gate.signIn()).location, "/");
  const entries = await gate.logEntries(2);
  assert.deepEqual(
    entries.map(({ type }) => type),
    ["signup", "signin"],
  );
});

whereInstalled("nginx", (nginx) => {
  test("reports refused forms if the proxy does not forward Host, and ok with PUBLIC_URL set", async (t) => {
    const gate = await startGate(t);
    // The default of nginx.
    const url = await beforeGate(t, nginx, gate.url, "");
    assertFound(await findings(checkAddress, { url }), [
      "problem",
      /rejected as cross-site: .* Host header/,
      /proxy_set_header Host \$http_host;.* PUBLIC_URL to http:/,
    ]);
    const port = await freePort();
    const publicUrl = await beforeGate(t, nginx, `http://127.0.0.1:${port}`, "");
    await startGate(t, { port, publicUrl });
    assertFound(await findings(checkAddress, { url: publicUrl }), ["ok", FINE]);
  });

  test("reports a proxy that does not reach the gate, with the gate's address", async (t) => {
    const port = await freePort();
    const url = await beforeGate(t, nginx, `http://127.0.0.1:${port}`);
    assertFound(await findings(checkAddress, { env: { PORT: String(port) }, url }), [
      "problem",
      /does not reach the gate: it returns 502$/,
      new RegExp(`forwards to it: http://127\\.0\\.0\\.1:${port}$`),
    ]);
  });

  test("reports a proxy that does not forward forms", async (t) => {
    const gate = await startGate(t);
    const url = await startNginx(
      t,
      nginx,
      `location / { limit_except GET { deny all; } proxy_pass ${gate.url}; ${PASSED_ON} }
       location = /logout { return 405; }`,
    );
    assertFound(await findings(checkAddress, { url }), [
      "problem",
      /do not reach the gate: the response is 405$/,
    ]);
  });

  test("reports ok behind an nginx with the right headers, which need not forward the health paths", async (t) => {
    const gate = await startGate(t);
    const locations = `location ~ ^/(login|logout)$ { proxy_pass ${gate.url}; ${PASSED_ON} }`;
    const url = await startNginx(t, nginx, locations);
    assertFound(await findings(checkAddress, { url }), ["ok", FINE]);
  });

  test("suggests the https URL for an address that redirects to it", async (t) => {
    const url = await startNginx(t, nginx, "return 301 https://auth.example.org$request_uri;");
    assertFound(await findings(checkAddress, { url }), [
      "hint",
      /redirects to https:\/\/auth\.example\.org$/,
      /--url https:\/\/auth\.example\.org$/,
    ]);
  });

  test("gives a hint for plain HTTP next to HTTPS, unless it redirects or is refused", async (t) => {
    const gate = await startGate(t);
    const secure = new URL("https://auth.example.org");
    const plain = async (locations: string) => {
      const url = await startNginx(t, nginx, locations);
      const answer = await ask(new URL("/login", url), {}, Date.now);
      return plainFinding(answer, secure);
    };
    assertFound(await plain("return 308 https://auth.example.org$request_uri;"));
    assertFound(await plain("return 404;"));
    assertFound(await plain(`location / { proxy_pass ${gate.url}; }`), [
      "hint",
      /^http:\/\/auth\.example\.org answers without a redirect to https/,
      /return 301 https/,
    ]);
    assertFound(plainFinding(undefined, secure));
  });
});
