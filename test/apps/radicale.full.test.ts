/** Radicale of Debian behind proxies with the configuration that Latchkey prints. */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { listLines } from "../../src/recipes/format-recipe.ts";
import { readRecipe } from "../../src/recipes/recipe-files.ts";
import { caddy } from "../proxies/caddy.ts";
import { withPlaces } from "../proxies/examples.ts";
import { nginx } from "../proxies/nginx.ts";
import { type ProxyServer, type Site, startSite } from "../proxies/site.ts";
import { addKey } from "../support/add-key.ts";
import { type Answer, type Sending, send } from "../support/client.ts";
import { outputOf } from "../support/command.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { tempDir } from "../support/temp-dir.ts";
import { giveAway, requireProgram, serveProgram } from "./server-program.ts";

const EVENT = [
  ...["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//EN", "BEGIN:VEVENT", "UID:1@example.org"],
  ...["DTSTAMP:20261101T100000Z", "DTSTART:20261102T100000Z", "SUMMARY:Water the plants"],
  ...["END:VEVENT", "END:VCALENDAR", ""],
].join("\r\n");

const basic = (name: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`,
});

/** The line of the configuration below which the line of the recipe goes, or in whose block. */
const PROXIES = {
  Caddyfile: {
    create: () => caddy(requireProgram("caddy", "caddy")),
    insert: (line: string) => ({
      "\t\treverse_proxy 127.0.0.1:8080 {\n": `\t\treverse_proxy 127.0.0.1:8080 {\n\t\t\t${line}\n`,
    }),
  },
  "nginx.conf": {
    create: () => nginx(requireProgram("nginx", "nginx-light")),
    insert: (line: string) => ({
      "proxy_set_header Remote-User $user;\n": `proxy_set_header Remote-User $user;\n${line}\n`,
    }),
  },
} as const;

for (const file of ["Caddyfile", "nginx.conf"] as const) {
  test(`radicale: people have their calendars behind a proxy, by ${file}`, async (t) => {
    const { gate, appUrl, upstream, visit } = await startCalendars(t, file);
    const session = await gate.setUp();
    const browser = { "User-Agent": "Mozilla/5.0", Accept: "text/html" };
    const { location = "" } = await visit(`${appUrl}/.web/`, { headers: browser });
    assert.match(location, /\/login\?/);
    const challenge = (await visit(`${appUrl}/`, { method: "PROPFIND" })).headers[
      "www-authenticate"
    ];
    assert.match(challenge ?? "", /Basic/);
    const page = await visit(`${appUrl}/.web/`, { session });
    assert.deepEqual([page.status, /Radicale/.test(page.body)], [200, true]);

    const key = await addKey(gate);
    const ask = (path: string, sending: Sending = {}): Promise<Answer> =>
      visit(appUrl + path, {
        ...sending,
        headers: { ...basic("any name", key), Depth: "0", ...sending.headers },
      });
    const principal = await ask("/", { method: "PROPFIND", body: PRINCIPAL });
    assert.equal(principal.status, 207);
    assert.match(principal.body, /<href>\/owner\/<\/href>/);
    assert.equal((await ask("/owner/home/", { method: "MKCALENDAR" })).status, 201);
    const type = { "Content-Type": "text/calendar" };
    const put = await ask("/owner/home/1.ics", { method: "PUT", body: EVENT, headers: type });
    assert.equal(put.status, 201, put.body);
    assert.match((await ask("/owner/home/1.ics")).body, /Water the plants/);
    const wellKnown = await ask("/.well-known/caldav", { method: "PROPFIND" });
    assert.equal(wellKnown.status, 301);

    // What a client says of itself changes nothing, with a session or with a key.
    const stranger = await addStranger(gate);
    const forged = [
      { "X-Remote-User": "owner" },
      { "x-remote-user": "owner", "Remote-User": "owner" },
      { X_Remote_User: "owner" },
      basic("owner", ""),
    ];
    for (const headers of forged) {
      const { status, body } = await visit(`${appUrl}/owner/home/1.ics`, {
        session: stranger,
        headers,
      });
      assert.deepEqual([status, body.includes("plants")], [403, false], JSON.stringify(headers));
    }
    for (const headers of forged) {
      const { status, body } = await visit(`${appUrl}/owner/home/1.ics`, { headers });
      assert.ok([303, 401].includes(status) && !body.includes("plants"), JSON.stringify(headers));
    }
    await outputOf(["key", "revoke", await findKey(gate)], env(gate));
    // Another process has revoked it, which the gate notices within a second.
    await eventually(async () => {
      const { status, body } = await ask("/owner/home/1.ics");
      return (status === 401 && !body.includes("plants")) || undefined;
    });

    // Why only the proxy may reach it, and why no path may be open.
    const event = `${upstream}/owner/home/1.ics`;
    const direct = await send(event, { headers: { "X-Remote-User": "owner" } });
    assert.match(direct.body, /Water the plants/);
    assert.equal((await send(event, { headers: basic("owner", "") })).status, 403);
  });
}

const PRINCIPAL = `<?xml version="1.0"?><propfind xmlns="DAV:"><prop><current-user-principal/></prop></propfind>`;

const env = ({ dataDir }: Site["gate"]) => ({ env: { DATA_DIR: dataDir } });

async function findKey(gate: Site["gate"]): Promise<string> {
  const [line = "{}"] = (await outputOf(["key", "list", "--json"], env(gate))).split("\n");
  return JSON.parse(line).id;
}

async function addStranger(gate: Site["gate"]): Promise<string> {
  const form = { username: "stranger", password: "a long password" };
  const input = { ...env(gate), input: `${form.password}\n` };
  await outputOf(["user", "add", form.username, "--password-stdin"], input);
  const { session } = await gate.signIn(form);
  assert.ok(session);
  return session;
}

/** Starts Radicale and the proxy with the lines of the recipe. */
async function startCalendars(
  t: TestContext,
  file: keyof typeof PROXIES,
): Promise<Site & { readonly upstream: string }> {
  const program = requireProgram("radicale", "radicale");
  const port = await freePort();
  const folder = await tempDir(t);
  await mkdir(join(folder, "collections"));
  const storage = ["[storage]", `filesystem_folder = ${folder}/collections`, ""];
  const lines = linesOf("/etc/radicale/config").map((line) => line.replace("5232", String(port)));
  const configuration = join(folder, "config");
  await writeFile(configuration, [...lines, ...storage].join("\n"));
  await giveAway(folder);
  await serveProgram(t, program, { args: ["--config", configuration], cwd: folder, port });

  const { create, insert } = PROXIES[file];
  const proxy = create();
  const [line = ""] = linesOf(file);
  const withLine: ProxyServer = {
    ...proxy,
    start: (started, printed, places) =>
      proxy.start(started, withPlaces(printed, insert(line)), {
        ...places,
        app: `127.0.0.1:${port}`,
      }),
  };
  const site = await startSite(t, withLine, "One host");
  return { ...site, upstream: `http://127.0.0.1:${port}` };
}

function linesOf(file: string): readonly string[] {
  const entries = readRecipe("radicale")?.ways[0].enter ?? [];
  const entry = entries.find((each) => "file" in each && each.file === file);
  assert.ok(entry, file);
  return listLines(entry);
}
