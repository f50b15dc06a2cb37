/** What docs/connections.md says about connections that stay open. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { type TestContext, test } from "node:test";
import { send } from "../support/client.ts";
import { freePort } from "../support/free-port.ts";
import { tempDir } from "../support/temp-dir.ts";
import { PAGE } from "./browser.ts";
import { caddy } from "./caddy.ts";
import { forEachProxy } from "./each.ts";
import { haproxy } from "./haproxy.ts";
import { nginx } from "./nginx.ts";
import { whereInstalled } from "./program.ts";
import { CLIENT, edited, PROXY_HOST, type ProxyServer, type Site, startSite } from "./site.ts";
import { echoOf, openSocket } from "./websocket.ts";

/** Opens the stream of events. */
async function openEvents(t: TestContext, { appUrl }: Site, session: string) {
  const { host, port } = new URL(appUrl);
  const headers = { Host: host, Cookie: `session=${session}`, Accept: "text/event-stream" };
  const to = { host: PROXY_HOST, port, path: "/events", localAddress: CLIENT, agent: false };
  const outgoing = request({ ...to, headers }).end();
  t.after(() => outgoing.destroy());
  const [events]: IncomingMessage[] = await once(outgoing, "response");
  assert.ok(events);
  events.on("error", () => {});
  outgoing.on("error", () => {});
  return events;
}

/** Two connections of one session through a proxy. */
async function openBoth(t: TestContext, proxy: ProxyServer) {
  const site = await startSite(t, proxy, "One host");
  const session = await site.gate.setUp();
  const headers = { Cookie: `session=${session}` };
  const { socket } = await openSocket(`${site.appUrl}/socket`, headers);
  const events = await openEvents(t, site, session);
  assert.ok(socket && events.statusCode === 200);
  t.after(() => socket.destroy());
  socket.on("error", () => {});
  await checkOpen({ events, socket });
  return { site, session, events, socket };
}

type Open = Awaited<ReturnType<typeof openBoth>>;

/** Both still carry data, in both directions where there are two. */
async function checkOpen({ events, socket }: Pick<Open, "events" | "socket">): Promise<void> {
  for (const _ of [1, 2]) await once(events, "data");
  assert.equal(await echoOf(socket, "hello"), "hello");
}

/** Signs out, and checks that nothing new opens. */
async function endSession(t: TestContext, { site, session }: Open): Promise<void> {
  const form = {};
  const out = await site.visit(`${site.gateUrl}/logout`, { form, session });
  assert.equal(out.status, 303);
  const headers = { Cookie: `session=${session}` };
  assert.equal((await openSocket(`${site.appUrl}/socket`, headers)).status, 401);
  assert.equal((await openEvents(t, site, session)).statusCode, 401);
}

/** Milliseconds until a connection is closed. */
async function closing(connection: IncomingMessage | Duplex): Promise<number> {
  const from = performance.now();
  connection.resume();
  // Not `once` of node:events, which rejects when the connection is reset.
  await new Promise((resolve) => connection.once("close", resolve));
  return performance.now() - from;
}

/** What the web view of Android sends over HTTPS, for a page and for a script in it. */
const IN_WEB_VIEW = { "X-Requested-With": "org.example.phone", "Sec-Fetch-Site": "none" };
const PAGE_IN_IT = {
  ...{ ...PAGE, ...IN_WEB_VIEW, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" },
};
const SCRIPT_IN_IT = { ...IN_WEB_VIEW, Accept: "*/*", "Sec-Fetch-Mode": "cors" };

forEachProxy((proxy) => {
  test(`${proxy.page}: open connections outlive their session, and no other opens`, async (t) => {
    const open = await openBoth(t, proxy);
    await endSession(t, open);
    await checkOpen(open);
  });

  test(`${proxy.page}: an ended session leads a web view to the sign-in`, async (t) => {
    const site = await startSite(t, proxy, "One host");
    const session = await site.gate.setUp();
    const visit = async (headers: Readonly<Record<string, string>>) =>
      (await site.visit(`${site.appUrl}/page`, { session, headers })).status;
    const both = async () => [await visit(PAGE_IN_IT), await visit(SCRIPT_IN_IT)];
    assert.deepEqual(await both(), [200, 200]);
    await site.visit(`${site.gateUrl}/logout`, { form: {}, session });
    assert.deepEqual(await both(), [303, 401]);
  });
});

/** @param lines What a limit of a second replaces. */
function testIdle(proxy: ProxyServer, lines: Readonly<Record<string, string>>): void {
  test(`${proxy.page}: a limit of a second ends idle connections only`, async (t) => {
    const { events, socket } = await openBoth(t, edited(proxy, lines));
    const busy = closing(events);
    const idle = await closing(socket);
    assert.ok(idle > 500, `${idle}`);
    for (const _ of Array(20)) await Promise.race([busy, once(events, "data")]);
    assert.equal(events.closed, false, "the stream of events");
  });
}

/** Starts a proxy, and returns what the page says to end all connections. */
type Starting = (t: TestContext) => Promise<{
  readonly proxy: ProxyServer;
  end(): Promise<unknown>;
}>;

function testEnding(name: string, starting: Starting): void {
  test(`${name} ends the connections that are open, and no request`, async (t) => {
    const { proxy, end } = await starting(t);
    const open = await openBoth(t, proxy);
    await endSession(t, open);
    const ended = Promise.all([closing(open.events), closing(open.socket)]);
    await end();
    await ended;
    assert.equal((await open.site.visit(`${open.site.appUrl}/page`)).status, 401);
  });
}

whereInstalled("nginx", (program) => {
  testIdle(nginx(program), {
    "auth_request /latchkey-asks;": "auth_request /latchkey-asks;\nproxy_read_timeout 1s;",
  });
  testEnding("nginx: a reload with worker_shutdown_timeout", async (t) => {
    const file = join(await tempDir(t), "nginx.pid");
    const main = `user root;\npid ${file};\nworker_shutdown_timeout 1s;`;
    return {
      proxy: nginx(program, main),
      end: async () => process.kill(Number(await readFile(file, "utf8")), "SIGHUP"),
    };
  });
});

whereInstalled("haproxy", (program) => {
  testIdle(haproxy(program), { "timeout tunnel 1h": "timeout tunnel 1s" });
  testEnding("haproxy: shutdown sessions", async (t) => {
    const file = join(await tempDir(t), "admin");
    const global = { "global\n": `global\n    stats socket ${file} level admin\n` };
    return {
      proxy: edited(haproxy(program), global),
      end: async () => connect(file).end("shutdown sessions server app/app\n"),
    };
  });
});

whereInstalled("caddy", (program) => {
  test("caddy: a reload ends WebSockets, and leaves streams of events open", async (t) => {
    const admin = `${PROXY_HOST}:${await freePort(PROXY_HOST)}`;
    let body = "";
    const proxy = caddy(program, `admin ${admin}`, (configuration) => {
      body = configuration;
    });
    const open = await openBoth(t, proxy);
    await endSession(t, open);
    const ended = closing(open.socket);
    const headers = { "Content-Type": "text/caddyfile", "Cache-Control": "must-revalidate" };
    const reloaded = await send(`http://${admin}/load`, { method: "POST", body, headers });
    assert.equal(reloaded.status, 200);
    await ended;
    for (const _ of Array(10)) await once(open.events, "data");
    assert.equal((await open.site.visit(`${open.site.appUrl}/page`)).status, 401);
  });
});
