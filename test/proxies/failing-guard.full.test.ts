import assert from "node:assert/strict";
import { test } from "node:test";
import { sendRaw } from "../support/raw.ts";
import { forEachProxy } from "./each.ts";
import type { SetUp } from "./examples.ts";
import { faults, type Guarded, startGuarded, type Visit } from "./guarded.ts";
import { haproxy, script } from "./haproxy.ts";
import { whereInstalled } from "./program.ts";
import { withRecipe } from "./recipe.ts";
import type { ProxyServer } from "./site.ts";

/** Several times what the pages say of a gate that is frozen, for a busy machine. */
const MAX_SECONDS = 30;
const SIGNED_IN = "session=valid";

/** The status that each page promises for a gate that is down or frozen. */
const DOWN: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "is stopped": { nginx: 500, caddy: 502, haproxy: 503 },
  "accepts and never answers": { nginx: 500, caddy: 504, haproxy: 503 },
};

/** Every configuration with a guard, of a page and of the recipes. */
const configurations: Readonly<
  Record<string, (proxy: ProxyServer) => readonly [ProxyServer, SetUp, (readonly string[])?]>
> = {
  "one host": (proxy) => [proxy, "One host"],
  "two hosts": (proxy) => [proxy, "Two hosts"],
  "public paths": (proxy) => [proxy, "One host", ["--public", "/public"]],
  "API paths": (proxy) => [withRecipe(proxy, "API paths"), "One host"],
  "local network": (proxy) => [withRecipe(proxy, "Local network without a sign-in"), "One host"],
};

const remembered: typeof configurations = {
  remembering: (proxy) => [proxy, "One host", ["--remember", "60s"]],
};
const remembering: Readonly<Record<string, typeof configurations>> = {
  nginx: remembered,
  haproxy: remembered,
};

function testFaults(proxy: ProxyServer): void {
  test(`${proxy.page}: no request reaches the app when the gate fails`, {
    concurrency: true,
  }, async (t) => {
    const tests = Object.entries({ ...configurations, ...remembering[proxy.page] }).map(
      ([name, configure]) =>
        t.test(name, async (own) =>
          assertRefuses(await startGuarded(own, ...configure(proxy)), proxy.page),
        ),
    );
    await Promise.all(tests);
  });
}

async function assertRefuses(guarded: Guarded, page: string): Promise<void> {
  const { app, gate, visit } = guarded;
  await assertAdmits(guarded);
  // Not the cookie that was admitted, which a proxy may remember.
  const claims = { "Remote-User": "owner", "Remote-User-Id": "1" };
  const headers = { Cookie: `a=1; ${SIGNED_IN}`, ...claims };
  const refuses = async (path: string, why: string, method: "GET" | "POST"): Promise<void> => {
    const startedAt = performance.now();
    const { status, body } = await visit({ path, headers, method });
    assert.notEqual(body, "the application", why);
    if (why in DOWN) assert.equal(status, DOWN[why]?.[page], why);
    const seconds = (performance.now() - startedAt) / 1_000;
    assert.ok(seconds < MAX_SECONDS, `${why}: answered after ${seconds.toFixed(1)} s`);
  };
  const methods = ["GET", "POST"] as const;
  const kinds = Object.keys(faults);
  await Promise.all(
    kinds.flatMap((why, index) => methods.map((method) => refuses(`/fault/${index}`, why, method))),
  );
  gate.stop();
  await Promise.all(methods.map((method) => refuses("/page", "is stopped", method)));
  assert.deepEqual(app.arrivals.slice(1), []);
}

async function assertAdmits({ app, visit }: Guarded): Promise<void> {
  assert.equal((await visit({ headers: { Cookie: SIGNED_IN } })).status, 200);
  assert.equal(app.arrivals.at(-1)?.headers["remote-user"], "owner");
}

/** More than the buffers of each proxy hold for one request. */
const MAX_BYTES = 17_000;
/** Less than the 64 bytes between two limits of HAProxy. */
const STEP = 32;

/** Requests of about `bytes` bytes. */
const shapes: Readonly<Record<string, (bytes: number) => Visit>> = {
  Host: (bytes) => ({ headers: { Host: "h".repeat(bytes) } }),
  Cookie: (bytes) => ({ headers: { Cookie: cookieOf(bytes) } }),
  "Host and Cookie": (bytes) => ({
    headers: { Host: "h".repeat(5_000), Cookie: cookieOf(bytes) },
  }),
  Authorization: (bytes) => ({ headers: { Authorization: "a".repeat(bytes) } }),
  "Cookie and the path": (bytes) => ({
    path: `/${"p".repeat(5_000)}`,
    headers: { Cookie: cookieOf(bytes) },
  }),
  "the path": (bytes) => ({ path: `/${"p".repeat(bytes)}` }),
  "another header": (bytes) => ({ headers: { "X-Other": "o".repeat(bytes) } }),
};
const cookieOf = (bytes: number): string => `a=${"c".repeat(bytes)}`;

/** Sends every size in steps, and byte by byte where the status changes. */
async function scan(send: (bytes: number) => Promise<number>): Promise<void> {
  let last: number | undefined;
  for (let bytes = 1; bytes < MAX_BYTES; bytes += STEP) {
    const status = await send(bytes);
    if (last !== undefined && status !== last) {
      for (let byte = bytes - STEP; byte < bytes; byte++) await send(byte);
    }
    last = status;
  }
}

function testSizes(proxy: ProxyServer): void {
  for (const [what, shape] of Object.entries(shapes)) {
    test(`${proxy.page}: no size of ${what} gets past the guard or hides the user`, async (t) => {
      const guarded = await startGuarded(t, proxy);
      const { app, visit } = guarded;
      await scan(async (bytes) => (await visit(shape(bytes))).status);
      assert.equal(app.arrivals.length, 0);
      await scan(async (bytes) => {
        const { path = "/", headers } = shape(bytes);
        const cookie = [headers?.Cookie, SIGNED_IN].filter(Boolean).join("; ");
        return (await visit({ path, headers: { ...headers, Cookie: cookie } })).status;
      });
      for (const { headers } of app.arrivals) {
        const { "remote-user": user, "remote-user-id": id, cookie = "" } = headers;
        assert.deepEqual([user, id, /session=/.test(cookie)], ["owner", "1", false]);
      }
    });
  }
}

/** Below and above the limits of the proxies; between them lies that of HAProxy's HTTP client. */
const COUNTS: readonly number[] = [2, 50, ...Array.from({ length: 32 }, (_, at) => 80 + at), 2_000];

function testLines(proxy: ProxyServer): void {
  test(`${proxy.page}: no number of header lines gets past the guard`, async (t) => {
    const guarded = await startGuarded(t, proxy);
    const lines = ["Cookie: a=b", "Accept: */*", "X-Other: 1", "X-Forwarded-For: 192.0.2.1"];
    for (const line of lines) {
      for (const count of COUNTS) {
        const head = `GET / HTTP/1.1\r\nHost: ${guarded.host}\r\nConnection: close\r\n`;
        const request = `${head}${`${line}\r\n`.repeat(count)}\r\n`;
        await sendRaw(guarded.url, request).catch(() => "reset");
      }
      assert.equal(guarded.app.arrivals.length, 0, line);
    }
    await assertAdmits(guarded);
  });

  test(`${proxy.page}: the session is found in the last of many Cookie lines`, async (t) => {
    const { app, host, url } = await startGuarded(t, proxy);
    const cookies = `${"Cookie: a=b\r\n".repeat(90)}Cookie: ${SIGNED_IN}\r\n`;
    await sendRaw(url, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${cookies}\r\n`);
    const passed = (app.arrivals[0]?.headers.cookie ?? "").split(/; */).filter(Boolean);
    assert.deepEqual(passed, Array(90).fill("a=b"));
  });
}

forEachProxy((proxy) => {
  testFaults(proxy);
  testSizes(proxy);
  testLines(proxy);
});

whereInstalled("haproxy", (program) => {
  /** Places in the guard script where an error must not let the request through. */
  const places = {
    "at its start": ["local client = txn.http", SIGNED_IN],
    "before it asks": ["local answer = core", SIGNED_IN],
    "after the answer": ["local status, headers", SIGNED_IN],
    "after the user is set": ['return txn:set_var("txn.admitted"', SIGNED_IN],
    "before it removes the session": ["local cookies = joined", SIGNED_IN],
    "while it refuses": ["txn:done({ status = status", "a=1"],
    "for an oversized request": ["return txn:done({ status = 431", `a=${"c".repeat(15_100)}`],
  } as const;
  for (const [where, [line, Cookie]] of Object.entries(places)) {
    test(`haproxy: no request reaches the app when the guard script fails ${where}`, async (t) => {
      assert.equal(script.split(line).length, 2);
      const failing = script.replace(line, `error("fails") ${line}`);
      const { app, visit } = await startGuarded(t, haproxy(program, failing));
      const { status } = await visit({ headers: { Cookie } });
      assert.equal(status, 503);
      assert.deepEqual(app.arrivals, []);
    });
  }
});
