/** Programs that people use, each with a key at an app behind nginx and a real gate. */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { addKey } from "../support/add-key.ts";
import { freePort } from "../support/free-port.ts";
import { startConfigured } from "../support/gate.ts";
import { listenOn } from "../support/listen.ts";
import { tempDir } from "../support/temp-dir.ts";
import { exampleOf } from "./examples.ts";
import { nginx } from "./nginx.ts";
import { reportSkipped, whereInstalled } from "./program.ts";
import { atAddress, PROXY_HOST } from "./site.ts";
import { echoTexts } from "./websocket.ts";

const execute = promisify(execFile);
const PYTHON = "/usr/bin/python3";

/** Answers PROPFIND with one file, and other requests with a file of the folder. */
async function startApp(t: TestContext, folder: string) {
  const arrivals: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    arrivals.push(request.headers);
    const { pathname } = new URL(request.url ?? "/", "http://app.example.test");
    if (request.method === "OPTIONS") {
      response.writeHead(200, { DAV: "1" }).end();
      return;
    }
    if (request.method === "PROPFIND") {
      response.writeHead(207, { "Content-Type": "application/xml" }).end(multistatus(pathname));
      return;
    }
    const file = join(folder, pathname);
    const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() === true;
    response.writeHead(isFile ? 200 : 404).end(isFile ? readFileSync(file) : "");
  });
  server.on("upgrade", (request, socket) => {
    arrivals.push(request.headers);
    echoTexts(request, socket);
  });
  return { place: `127.0.0.1:${await listenOn(t, server)}`, arrivals };
}

const multistatus = (path: string): string => `<?xml version="1.0"?>
<D:multistatus xmlns:D="DAV:">
<D:response><D:href>${path}</D:href><D:propstat><D:prop><D:resourcetype><D:collection/></D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>
<D:response><D:href>${path}page</D:href><D:propstat><D:prop><D:resourcetype/><D:getcontentlength>9</D:getcontentlength></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>
</D:multistatus>`;

/** Calls programs with an empty folder as their home. */
async function startClients(t: TestContext, program: string) {
  const [folder, home] = [await tempDir(t), await tempDir(t)];
  await writeFile(join(folder, "page"), "from app\n");
  const app = await startApp(t, folder);
  const { settings, configuration } = exampleOf("nginx", "One host");
  const { gate } = await startConfigured(t, { ...settings, allowedHosts: ["*"] });
  const port = await freePort(PROXY_HOST);
  const places = { gate: new URL(gate.url).host, app: app.place, host: PROXY_HOST, port };
  await atAddress(nginx(program)).start(t, configuration, places);
  const key = await addKey(gate);
  const env = { PATH: process.env.PATH ?? "", HOME: home, GIT_TERMINAL_PROMPT: "0" };
  return {
    ...{ app, folder, home, key, url: `http://${PROXY_HOST}:${port}` },
    async run(file: string, args: readonly string[], input = ""): Promise<string> {
      const running = execute(file, args, { env, cwd: home });
      // A program that has ended without reading its input.
      running.child.stdin?.on("error", () => {}).end(input);
      const { stdout, stderr } = await running;
      return `${stdout}${stderr}`;
    },
    assertOpened(): void {
      assert.ok(app.arrivals.length > 0);
      for (const headers of app.arrivals) {
        assert.equal(headers["remote-user"], "owner");
        assert.ok(!JSON.stringify(headers).includes(key.slice(9)));
        assert.equal(headers.authorization, undefined);
      }
    },
  };
}

type Clients = Awaited<ReturnType<typeof startClients>>;

/** Each reads the page of the app with the key. */
const programs: Readonly<Record<string, (clients: Clients) => Promise<unknown>>> = {
  async curl({ run, url, key }) {
    const asked = ["-sS", "--fail-with-body", `${url}/page`];
    assert.equal(await run("curl", [...asked, "-u", `anyone:${key}`]), "from app\n");
    assert.equal(await run("curl", [...asked, "-H", `Authorization: Bearer ${key}`]), "from app\n");
    const wrong = ["-sS", "-o", "/dev/null", "-w", "%{http_code} %header{www-authenticate}"];
    const refused = () => run("curl", [...wrong, `${url}/page`, "-u", `anyone:${key}x`]);
    for (let i = 0; i < 5; i += 1) assert.match(await refused(), /^401 Basic realm="latchkey"/);
    const retry = "%{http_code} %header{retry-after}";
    const limited = await run("curl", [...wrong.with(-1, retry), url, "-u", "x:latchkey_"]);
    assert.equal(limited, "429 60");
  },

  async git({ run, url, key, folder, home }) {
    const commit = ["-c", "user.name=a", "-c", "user.email=a@example.test", "commit"];
    await run("git", ["init", "-q", "work"]);
    await run("git", ["-C", "work", ...commit, "-q", "--allow-empty", "-m", "a commit"]);
    await run("git", ["clone", "-q", "--bare", "work", join(folder, "repo.git")]);
    await run("git", ["-C", join(folder, "repo.git"), "update-server-info"]);
    await writeFile(join(home, ".netrc"), `machine ${PROXY_HOST} login git password ${key}\n`);
    await run("git", ["clone", "-q", `${url}/repo.git`, "copy"]);
    assert.match(await run("git", ["-C", "copy", "log"]), /a commit/);
  },

  async rclone({ run, url, key }) {
    const password = (await run("rclone", ["obscure", key])).trim();
    const remote = ["--webdav-url", `${url}/dav/`, "--webdav-user", "a", "--webdav-pass", password];
    assert.match(await run("rclone", ["lsf", ":webdav:", ...remote]), /^page$/m);
  },

  async cadaver({ run, url, key, home }) {
    await writeFile(join(home, ".netrc"), `machine ${PROXY_HOST} login a password ${key}\n`);
    assert.match(await run("cadaver", [`${url}/dav/`], "ls\nquit\n"), /\bpage\b/);
  },

  async "Python's requests"({ run, url, key }) {
    const script = `import requests, sys
url, key = sys.argv[1:]
print(requests.get(url, auth=("a", key)).text, end="")
print(requests.get(url, headers={"Authorization": "Bearer " + key}).text, end="")`;
    const printed = await run(PYTHON, ["-c", script, `${url}/page`, key]);
    assert.equal(printed, "from app\nfrom app\n");
  },

  async "a WebSocket client"({ url, key }) {
    const headers = { Authorization: `Bearer ${key}` };
    // Node's client takes headers, which the standard does not have.
    const socket = new WebSocket(`${url.replace("http", "ws")}/socket`, { headers } as never);
    await once(socket, "open");
    socket.send("hello");
    const [{ data }] = await once(socket, "message");
    socket.close();
    assert.equal(data, "hello");
  },
};

whereInstalled("nginx", (program) => {
  for (const [name, use] of Object.entries(programs)) {
    if (name.startsWith("Python") && spawnSync(PYTHON, ["-c", "import requests"]).status !== 0) {
      reportSkipped("python3-requests is not installed");
      continue;
    }
    whereInstalled(/^[a-z]+$/.test(name) ? name : "nginx", () =>
      test(`${name} opens an app with a key, which the app does not get`, async (t) => {
        const clients = await startClients(t, program);
        await use(clients);
        clients.assertOpened();
      }),
    );
  }
});
