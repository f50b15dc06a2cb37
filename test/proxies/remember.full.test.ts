import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { send } from "../support/client.ts";
import { freePort } from "../support/free-port.ts";
import { listenOn } from "../support/listen.ts";
import { sendRaw } from "../support/raw.ts";
import { exampleOf } from "./examples.ts";
import { haproxy, script } from "./haproxy.ts";
import { nginx } from "./nginx.ts";
import { whereInstalled } from "./program.ts";
import { startRecordingApp } from "./recording-app.ts";
import { edited, PROXY_HOST, type ProxyServer, startSite } from "./site.ts";
import { sendText } from "./websocket.ts";

/** Everything that decides whom a gate admits. */
const identityOf = (headers: IncomingHttpHeaders): string => {
  const { cookie, authorization, host } = headers;
  const parts = [cookie, authorization, host, headers["x-forwarded-host"]];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
};

type Headers = Readonly<Record<string, string>>;

/** A proxy that remembers answers of a gate, which names each user by the headers that it got. */
async function startRemembering(
  t: TestContext,
  proxy: ProxyServer,
  answering: (headers: IncomingHttpHeaders) => readonly [number, OutgoingHttpHeaders] = () => [
    200,
    {},
  ],
) {
  let asked = 0;
  const gate = createServer((request, response) => {
    asked += 1;
    const [status, more] = answering(request.headers);
    const user = { "Remote-User": identityOf(request.headers), "Remote-User-Id": "1" };
    const sent = status === 200 ? user : {};
    response.writeHead(status, { "Cache-Control": "no-store", ...sent, ...more }).end();
  });
  const app = await startRecordingApp(t);
  const port = await freePort(PROXY_HOST);
  const places = { gate: `127.0.0.1:${await listenOn(t, gate)}`, app: app.place };
  const { configuration } = exampleOf(proxy.page, "One host", ["--remember", "60s"]);
  await proxy.start(t, configuration, { ...places, host: PROXY_HOST, port });
  const url = `http://${PROXY_HOST}:${port}`;
  return {
    asked: () => asked,
    visit: (headers: Headers, method = "GET") =>
      send(`${url}/page`, { method, headers: { Host: "app.example.test", ...headers } }),
    arrivals: app.arrivals,
    url,
  };
}

/** Requests that differ for the gate, though little. */
const requests: readonly Headers[] = [
  {},
  { Cookie: "session=a" },
  { Cookie: "session=b" },
  { Cookie: "session=a; session=b" },
  { Cookie: "session=b; session=a" },
  { Cookie: "session=a;session=b" },
  { Cookie: "session=a", Authorization: "session=b" },
  { Authorization: "session=a" },
  { Authorization: "Bearer a" },
  { Cookie: "Bearer a" },
  { Host: "app.example.test:81", Cookie: "session=a" },
  { Host: "app.example.test:8443", Cookie: "session=a" },
  { Cookie: "session=a\\n", Authorization: "x" },
  { Cookie: "session=a", Authorization: "\\nx" },
  { Cookie: "session=ä" },
];

function testRemembering(proxy: ProxyServer): void {
  test(`${proxy.page}, remembering: asks once for equal requests only`, async (t) => {
    const { asked, visit, arrivals, url } = await startRemembering(t, proxy);
    const usersSeen = async (): Promise<readonly unknown[]> => {
      const users: unknown[] = [];
      for (const headers of requests) {
        assert.equal((await visit({ Host: "app.example.test", ...headers })).status, 200);
        users.push(arrivals.at(-1)?.headers["remote-user"]);
      }
      return users;
    };
    const first = await usersSeen();
    assert.equal(new Set(first).size, requests.length);
    assert.deepEqual(await usersSeen(), first);
    assert.equal(asked(), requests.length);
    const lines = "Host: app.example.test\r\nCookie: session=a\r\nCookie: session=b\r\n";
    await sendRaw(url, `GET /page HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`);
    assert.equal(arrivals.at(-1)?.headers["remote-user"], first[3], "as one line");
    assert.equal(asked(), requests.length);
    const session = { Host: "app.example.test", Cookie: "session=a" };
    for (const method of ["HEAD", "POST", "HEAD", "POST"]) {
      assert.equal((await visit(session, method)).status, 200, method);
    }
    assert.equal(asked(), requests.length + 2, "each method once");
    const { host } = new URL(url);
    assert.equal((await sendText(`http://${host}/socket`, "hello", session)).status, 101);
    assert.equal(arrivals.at(-1)?.headers["remote-user"], arrivals[1]?.headers["remote-user"]);
  });

  test(`${proxy.page}, remembering: remembers only what admits, without cookies`, async (t) => {
    const answers: Readonly<Record<string, readonly [number, OutgoingHttpHeaders]>> = {
      "a=cookie": [200, { "Set-Cookie": "session=of-another" }],
      "a=401": [401, { "Cache-Control": "max-age=60" }],
      "a=403": [403, { "Cache-Control": "max-age=60", "X-Accel-Expires": "60" }],
      "a=500": [500, { Expires: "Thu, 31 Dec 2099 00:00:00 GMT" }],
    };
    const answer = ({ cookie = "" }) => answers[cookie] ?? [503, {}];
    const { asked, visit } = await startRemembering(t, proxy, answer);
    for (const Cookie of Object.keys(answers)) {
      const before = asked();
      const first = await visit({ Cookie });
      const questions = asked() - before;
      const { status, cookies } = await visit({ Cookie });
      assert.deepEqual([status, cookies], [first.status, []], Cookie);
      assert.equal(asked() - before, 2 * questions, Cookie);
    }
  });

  test(`${proxy.page}, remembering: asks each time about headers too large`, async (t) => {
    const { visit, arrivals } = await startRemembering(t, proxy);
    const cookies = ["x", "y"].map((last) => `a=${"c".repeat(7_000)}${last}`);
    const users = [];
    for (const Cookie of [...cookies, ...cookies]) {
      assert.equal((await visit({ Cookie })).status, 200);
      users.push(arrivals.at(-1)?.headers["remote-user"]);
    }
    assert.deepEqual(users.slice(2), users.slice(0, 2));
    assert.notEqual(users[0], users[1]);
  });

  test(`${proxy.page}, remembering: removes an accepted key each time`, async (t) => {
    const { visit, arrivals, asked } = await startRemembering(t, proxy, ({ authorization }) => [
      200,
      authorization === "Bearer latchkey_valid" ? { "Latchkey-Key": "accepted" } : {},
    ]);
    for (const Authorization of ["Bearer latchkey_valid", "Bearer other"]) {
      for (const _ of [1, 2]) await visit({ Authorization });
    }
    const passed = arrivals.map(({ headers }) => headers.authorization);
    assert.deepEqual(passed, [undefined, undefined, "Bearer other", "Bearer other"]);
    assert.equal(asked(), 2);
  });

  test(`${proxy.page}, remembering for 1s: an ended session ends within two`, async (t) => {
    const site = await startSite(t, proxy, "One host", ["--remember", "1s"]);
    const session = await site.gate.setUp();
    const statusNow = async () => (await site.visit(`${site.appUrl}/page`, { session })).status;
    assert.equal(await statusNow(), 200);
    await site.gate.send("/logout", { method: "POST", session });
    await pause(2_000);
    assert.equal(await statusNow(), 401);
  });
}

whereInstalled("nginx", (program) => testRemembering(nginx(program)));
/** Each thread of HAProxy remembers for itself, and connections go to any. */
const ONE_THREAD = { "global\n": "global\n    nbthread 1\n" };

whereInstalled("haproxy", (program) => {
  testRemembering(edited(haproxy(program), ONE_THREAD));

  test("haproxy, remembering: a full memory is emptied, and mixes up nobody", async (t) => {
    assert.match(script, /MAX_REMEMBERED = 1000/);
    const small = script.replace("MAX_REMEMBERED = 1000", "MAX_REMEMBERED = 2");
    const proxy = edited(haproxy(program, small), ONE_THREAD);
    const { visit, arrivals, asked } = await startRemembering(t, proxy);
    const seen = new Map<string, unknown>();
    for (const at of Array(12).keys()) {
      const Cookie = `session=${at % 4}`;
      await visit({ Cookie });
      const user = arrivals.at(-1)?.headers["remote-user"];
      assert.equal(seen.get(Cookie) ?? user, user);
      seen.set(Cookie, user);
    }
    assert.equal(new Set(seen.values()).size, 4);
    assert.equal(asked(), 12);
  });
});
