import { type TestContext, test } from "node:test";
import { checkAliases } from "../../src/doctor/aliases.ts";
import type { Finding } from "../../src/doctor/check.ts";
import { exampleOf, withPlaces } from "../proxies/examples.ts";
import { startProgram, whereInstalled } from "../proxies/program.ts";
import { startRecordingApp } from "../proxies/recording-app.ts";
import { type Places, PROXY_HOST } from "../proxies/site.ts";
import { freePort } from "../support/free-port.ts";
import { startGate } from "../support/gate.ts";
import { assertFound, findings } from "./installation.ts";

/** What the check finds at an app behind a proxy, which asks the gate before each request. */
async function foundBehind(
  t: TestContext,
  start: (places: Places) => Promise<void>,
): Promise<readonly Finding[]> {
  const gate = await startGate(t, { trustedProxies: ["127.0.0.1"] });
  const app = await startRecordingApp(t);
  const port = await freePort(PROXY_HOST);
  await start({ gate: new URL(gate.url).host, app: app.place, host: PROXY_HOST, port });
  return findings(checkAliases, { url: `http://${PROXY_HOST}:${port}` });
}

whereInstalled("caddy", (program) => {
  const { configuration } = exampleOf("caddy", "One host");
  const withCaddy = (t: TestContext, text: string): Promise<readonly Finding[]> =>
    foundBehind(t, async ({ gate, app, host, port }) => {
      const site = withPlaces(text, {
        "127.0.0.1:3000": gate,
        "127.0.0.1:8080": app,
        "app.example.org {": `http://${host}:${port} {`,
      });
      await startProgram(t, program, {
        configuration: `{\n\tadmin off\n\tauto_https off\n}\n${site}`,
        args: (file) => ["run", "--config", file, "--adapter", "caddyfile"],
        address: { host, port },
      });
    });

  test("accepts the documented configuration of Caddy", async (t) => {
    assertFound(await withCaddy(t, configuration), ["ok", /passes on none of Remote\.User/]);
  });

  test("reports a Caddy that passes on the headers of a client", async (t) => {
    const open = withPlaces(configuration, { "request_header -Remote*\n": "\n" });
    assertFound(await withCaddy(t, open), [
      "hint",
      /passes on Remote\.User, Remote~User, Remote_User: an app/,
      /request_header -Remote\*/,
    ]);
  });
});
