/** The check of an app behind the configurations that `latchkey proxy` prints. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { renderProxy } from "../../../src/cli/proxy.ts";
import { readSettings } from "../../../src/gate/settings/settings.ts";
import { withPlaces } from "../../proxies/examples.ts";
import { around, runNginx } from "../../proxies/nginx.ts";
import { startProgram, whereInstalled } from "../../proxies/program.ts";
import { runCommand } from "../../support/command.ts";
import { freePort } from "../../support/free-port.ts";
import { SECRET, startGate } from "../../support/gate.ts";
import { listenOn } from "../../support/listen.ts";
import { registerApp } from "../../support/register-app.ts";
import { problemOf, type Report } from "./site.ts";

const DOMAIN = "site.localhost";
const UPSTREAM = "127.0.0.1:8080";

interface Places {
  readonly gate: string;
  readonly app: string;
  readonly port: number;
}

type Start = (t: TestContext, program: string, text: string, places: Places) => Promise<void>;

const starts: Readonly<Record<"nginx" | "caddy", Start>> = {
  nginx: (t, program, text, { port }) => {
    const listening = text.replaceAll("listen 80;", `listen 127.0.0.1:${port};`);
    return runNginx(t, program, around(listening), { host: "127.0.0.1", port });
  },
  caddy: (t, program, text, { port }) => {
    const sites = text.replace(/^(\w+\.site\.localhost) \{$/gm, `http://$1:${port} {`);
    const global = "{\n\tadmin off\n\tauto_https off\n\tdefault_bind 127.0.0.1\n}\n";
    return startProgram(t, program, {
      configuration: `${global}\n${sites}`,
      args: (file) => ["run", "--config", file, "--adapter", "caddyfile"],
      address: { host: "127.0.0.1", port },
    });
  },
};

/** Starts everything with a configuration that `edit` has changed, and checks the app. */
async function checkBehind(
  t: TestContext,
  name: keyof typeof starts,
  program: string,
  edit: (text: string) => string = (text) => text,
  upstream: "runs" | "does not run" = "runs",
): Promise<Report & { readonly code: number }> {
  const port = await freePort();
  const issuer = `http://auth.${DOMAIN}:${port}`;
  const gate = await startGate(t, {
    publicUrl: issuer,
    cookieDomain: DOMAIN,
    trustedProxies: ["127.0.0.1"],
  });
  await gate.setUp();
  const app = createServer(({ headers }, response) => {
    response.end(`Hello ${headers["remote-user"] ?? "stranger"}`);
  });
  const appPort = upstream === "runs" ? await listenOn(t, app) : await freePort();
  const wiki = {
    name: "Wiki",
    url: `http://wiki.${DOMAIN}:${port}`,
    upstream: `http://${UPSTREAM}`,
  };
  await registerApp(gate, wiki);
  const env = { PUBLIC_URL: "https://auth.example.org", COOKIE_DOMAIN: "example.org" };
  const { settings } = readSettings({ flags: {}, envFile: undefined, env });
  const listed = { ...wiki, id: "wiki", url: "https://wiki.example.org/", createdAt: new Date(0) };
  const { text } = renderProxy(name, settings, {}, [listed]);
  const places = { gate: new URL(gate.url).host, app: `127.0.0.1:${appPort}`, port };
  const configuration = withPlaces(edit(text), {
    "127.0.0.1:3000": places.gate,
    [UPSTREAM]: places.app,
    "example.org": DOMAIN,
  });
  await starts[name](t, program, configuration, places);
  const given = { AUTH_SECRET: SECRET, DATA_DIR: gate.dataDir, PUBLIC_URL: issuer };
  const command = ["app", "check", "wiki", "--json"];
  const { code, stdout } = await runCommand(command, { env: { ...given, COOKIE_DOMAIN: DOMAIN } });
  return { code, ...(JSON.parse(stdout) as Report) };
}

/** For each proxy, a configuration that does not ask the gate, and one that passes headers on. */
const mistakes = {
  nginx: {
    unguarded: (text: string) =>
      text.replace("auth_request /latchkey-asks;", "").replace(/\$\{admitted\}/, "http://"),
    withoutCookies: (text: string) =>
      text.replace(
        "        internal;\n",
        '        internal;\n        proxy_set_header Cookie "";\n',
      ),
  },
  caddy: {
    unguarded: (text: string) =>
      text.replace(/\t\tforward_auth [\s\S]*?\n\t\t\}\n/, "").replace(/\t\terror @no_user.*\n/, ""),
    withoutCookies: (text: string) =>
      text.replace("\t\t\turi /forward-auth", "\t\t\theader_up -Cookie\n\t\t\turi /forward-auth"),
  },
};

for (const name of ["nginx", "caddy"] as const) {
  whereInstalled(name, (program) => {
    test(`${name}: passes an app behind the printed configuration`, async (t) => {
      const report = await checkBehind(t, name, program);
      assert.equal(report.code, 0, JSON.stringify(report.checks, null, 1));
      assert.ok(report.checks.every(({ outcome }) => outcome === "ok"));
    });

    test(`${name}: tells a gate that is not asked from one that gets no cookies`, async (t) => {
      const unguarded = await checkBehind(t, name, program, mistakes[name].unguarded);
      assert.equal(problemOf(unguarded).check, "guard");
      const withoutCookies = await checkBehind(t, name, program, mistakes[name].withoutCookies);
      const { check, found } = problemOf(withoutCookies);
      assert.equal(check, "session");
      assert.match(found, /does not pass the Cookie header on to the gate/);
    });

    test(`${name}: says that the upstream does not run`, async (t) => {
      const report = await checkBehind(t, name, program, undefined, "does not run");
      const { check, found } = problemOf(report);
      assert.equal(check, "session");
      assert.match(found, /the proxy at http:\S+ runs, and the upstream behind it does not answer/);
    });
  });
}
