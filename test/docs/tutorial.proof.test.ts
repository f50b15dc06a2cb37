/**
 * Runs every command of the tutorial with Caddy, Node-RED and a browser, as the page has it. Only these
 * differ: packages come from the cache of the tests, shell functions take the place of `sudo` and
 * systemd, and the ports are free ones, to which a tunnel leads the browser and the apps.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { request } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { requireProgram } from "../apps/server-program.ts";
import { fill, leave, submit } from "../browser/forms.ts";
import { openPage } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { installPackages } from "../support/packages.ts";
import { tempDir } from "../support/temp-dir.ts";
import { at, text } from "./pages.ts";

const ADA = { username: "ada", password: "correct horse" };
const BEN = { username: "ben", password: "battery staple" };

/** Node-RED asks no other server for its catalogue of nodes. */
const OFFLINE = `editorTheme: { palette: { catalogues: [] } }, telemetry: { enabled: false },\n`;

const blocks = [...text("docs/tutorial.md").matchAll(/^```(?:sh|js)\n([\s\S]*?)^```$/gm)].map(
  ([, code = ""]) => code,
);

test("every step of the tutorial leads to what the page says", async (t) => {
  const [gate, files, addNodeRed, settings, startNodeRed, addHello, app, startHello, ...others] =
    blocks;
  assert.ok(startHello !== undefined && settings !== undefined && app !== undefined);
  const [invite, letIn] = others;
  const server = await startServer(t);

  const running = server.run(gate);
  const [, link = ""] = await running.shows(
    /Open (https:\/\/auth\.example\.org\/setup\?token=\S+)/,
  );
  await server.run(files).succeeds();
  await server.answers("files.example.org");
  const ada = await server.visit();
  await ada.goto(link);
  await submit(ada, "/setup", { ...ADA, confirm: ADA.password });
  await ada.goto("https://files.example.org/hello.txt");
  await ada.getByText("Only for us.").waitFor();
  const stranger = await server.visit();
  await stranger.goto("https://files.example.org/");
  await stranger.waitForURL("https://auth.example.org/login?**");
  await stranger.getByRole("heading", { name: "Files" }).waitFor();

  const printed = await server.run(addNodeRed).succeeds();
  const [, adminAuth = ""] = /^In the file settings\.js:\n((?: {2}.*\n)+)/m.exec(printed) ?? [];
  const filled = settings.replace(/.*as it was printed\n/, adminAuth + OFFLINE);
  await writeFile(join(server.apps, "node-red/settings.js"), server.adapt(filled));
  await server.run(startNodeRed).succeeds();
  await server.answers("flows.example.org");
  await ada.goto("https://flows.example.org");
  await ada.locator("#red-ui-header-button-deploy").waitFor();

  const added = await server.run(addHello).succeeds();
  const [, secret = ""] = /Client secret: +(\S+)/.exec(added) ?? [];
  await writeFile(join(server.apps, "hello/app.mjs"), server.adapt(app));
  await server.run(startHello.replace("paste it here", secret)).succeeds();
  await server.answers("hello.example.org");
  await ada.goto("https://hello.example.org");
  await ada.getByText("Hello, ada").waitFor();

  await ada.goto("https://auth.example.org/apps");
  for (const name of ["Files", "Hello", "Node-RED"]) await ada.getByText(name).first().waitFor();

  const [url = ""] = /^https:\/\/\S+/m.exec(await server.run(invite).succeeds()) ?? [];
  const ben = await server.visit();
  await ben.goto(url);
  await fill(ben, { ...BEN, confirm: BEN.password });
  // The form has no address of its own in the page.
  await leave(ben, () => ben.locator("main [type=submit]").last().click());
  await ben.goto("https://hello.example.org");
  await ben.getByText("Hello, ben").waitFor();
  await ben.goto("https://flows.example.org");
  await ben.getByText("No access").first().waitFor();
  await server.run(letIn).succeeds();
  for (const each of [ada, ben]) {
    await each.goto("https://files.example.org/hello.txt");
    await each.getByText("Only for us.").waitFor();
  }
});

interface Shell {
  /** Resolves once the output matches. */
  shows(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves with the output of the shell, which must end with success. */
  succeeds(): Promise<string>;
}

/** The server of the reader: a checkout, a folder for apps beside it, and Caddy as a service. */
async function startServer(t: TestContext) {
  const home = await tempDir(t);
  const names = ["gate", "files", "nodeRed", "hello", "https", "admin"] as const;
  const [gate, files, nodeRed, hello, https, admin] = await Promise.all(
    names.map(() => freePort()),
  );
  const tunnel = await startTunnel(t, Number(https));
  const checkout = join(home, "latchkey");
  await copyCheckout(checkout);

  const caddy = requireProgram("caddy", "caddy");
  const base = join(home, "base.conf");
  const own = join(home, "caddy.conf");
  await writeFile(
    base,
    `{
	admin 127.0.0.1:${admin}
	https_port ${https}
	auto_https disable_redirects
	local_certs
	skip_install_trust
	default_bind 127.0.0.1
	storage file_system ${home}/certificates
}
`,
  );
  const adapter = ["--adapter", "caddyfile"];
  const service = [caddy, "run", "--config", base, ...adapter].join(" ");
  const { shows } = startShell(t, service, home, { HOME: home });
  await shows(/serving initial configuration/);

  const adapt = (code: string): string =>
    code
      .replace("AUTH_SECRET=auto", `AUTH_SECRET=auto\nPORT=${gate}`)
      .replaceAll("/etc/caddy/Caddyfile", own)
      .replaceAll(/\b8080\b/g, String(files))
      .replaceAll(/\b1880\b/g, String(nodeRed))
      .replaceAll(/\b8081\b/g, String(hello))
      .replaceAll("YOUR-NAME", ADA.username);
  const functions = `set -e
sudo() { "$@"; }
systemctl() {
  cat ${base} ${own} > ${own}.all
  ${caddy} reload --config ${own}.all ${adapter.join(" ")} --address 127.0.0.1:${admin}
}
npm() {
  case "$*" in
    ci) ;;
    install*node-red*) ln -s ${await installed("apps/packages/node-red", "latchkey-node-red")} ../apps/node-red/ ;;
    install*express*) ln -s ${await installed("clients/packages", "latchkey-clients")} ../apps/hello/ ;;
    *) command npm "$@" ;;
  esac
}
latchkey() { npm run --silent latchkey -- "$@" --env-file gate.env; }
`;
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: home,
    NO_COLOR: "1",
    NODE_USE_ENV_PROXY: "1",
    HTTPS_PROXY: tunnel,
    NODE_EXTRA_CA_CERTS: join(home, "certificates/pki/authorities/local/root.crt"),
  };
  return {
    apps: join(home, "apps"),
    adapt,
    /** Resolves once Caddy has a certificate for the host, and its app or the gate answers there. */
    answers: (host: string): Promise<true> =>
      eventually(
        async () => ((await readStatus(host, Number(https))) < 500 ? true : undefined),
        60_000,
      ),
    run: (code = ""): Shell => startShell(t, functions + adapt(code), checkout, env),
    visit: (): Promise<Page> =>
      openPage(t, {
        certificates: "any",
        proxy: tunnel,
        givenUp: "allowed",
        logs: /^(JQMIGRATE|Node-RED|Versions|jQuery|D3|console|Projects|MONACO)/,
        statuses: [401, 403, 404, 502],
      }),
  };
}

/** Resolves with 599 if there is no answer. The certificate is that of Caddy's own authority. */
async function readStatus(host: string, port: number): Promise<number> {
  const options = { host: "127.0.0.1", port, servername: host, rejectUnauthorized: false };
  const sent = request({ ...options, headers: { Host: host } }).end();
  try {
    const [response] = await once(sent, "response");
    response.resume();
    return response.statusCode;
  } catch {
    return 599;
  }
}

const installed = async (packages: string, name: string): Promise<string> => {
  const folder = fileURLToPath(new URL(`../${packages}/`, import.meta.url));
  return join(await installPackages(folder, name), "node_modules");
};

/** What the gate needs of a checkout, which the tests leave as it is. */
async function copyCheckout(to: string): Promise<void> {
  await mkdir(to);
  for (const name of ["package.json", "src", "recipes"]) {
    await cp(at(name), join(to, name), { recursive: true });
  }
  await symlink(fileURLToPath(at("node_modules")), join(to, "node_modules"));
}

/** A proxy that leads every connection to Caddy, whose port is another one than 443. */
async function startTunnel(t: TestContext, port: number): Promise<string> {
  const tunnel = createServer().listen(0, "127.0.0.1");
  tunnel.on("connect", (_request, client) => {
    const caddy = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      caddy.pipe(client).pipe(caddy);
    });
    for (const [socket, other] of [
      [client, caddy],
      [caddy, client],
    ] as const) {
      socket.on("error", () => other.destroy());
    }
  });
  await once(tunnel, "listening");
  t.after(() => tunnel.close());
  return `http://127.0.0.1:${(tunnel.address() as AddressInfo).port}`;
}

/** Runs lines as a shell does. What they leave in the background ends with the test. */
function startShell(
  t: TestContext,
  code: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Shell {
  const child = spawn("bash", ["-c", code], {
    cwd,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => {
      output += part;
      child.emit("output");
    });
  }
  const exited = once(child, "exit");
  const closed = once(child, "close");
  t.after(async () => {
    endGroup(child);
    await closed;
  });
  return {
    async shows(pattern) {
      for (;;) {
        const found = pattern.exec(output);
        if (found !== null) return found;
        assert.equal(child.exitCode, null, output);
        await Promise.race([once(child, "output"), exited]);
      }
    },
    async succeeds() {
      await exited;
      assert.equal(child.exitCode, 0, `${code}\n${output}`);
      return output;
    },
  };
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid);
  } catch (error) {
    // Nothing of it runs any more.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
