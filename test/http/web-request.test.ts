import assert from "node:assert/strict";
import { test } from "node:test";
import { Hono } from "hono";
import { honoAuth } from "../../src/adapters/hono.ts";
import { getHost, getParameter } from "../../src/http/web-request.ts";
import { fetchRequest, type WebRequest } from "../../src/index.ts";
import { openAuth } from "../support/auth.ts";
import { fakeNodeRequest } from "../support/fake-node-request.ts";

const HEADERS = { cookie: "session=x", "accept-language": "de", host: "example.test" };

const incoming = (headers: Readonly<Record<string, string | readonly string[]>> = {}) => ({
  socket: { remoteAddress: "192.0.2.1" },
  headers,
});

/** What every kind of request has to tell. */
const read = (request: WebRequest) => ({
  method: request.method,
  path: request.path,
  query: request.query,
  cookie: request.header("cookie"),
  unknown: request.header("x-unknown"),
  error: getParameter(request, "error"),
  host: getHost(request),
});

const EXPECTED = {
  method: "POST",
  path: "/a%20page",
  query: "?error=1&token=t&error=2",
  cookie: "session=x",
  unknown: undefined,
  error: "1",
  host: "example.test",
};
const TARGET = `${EXPECTED.path}${EXPECTED.query}`;

test("reads method, path, query and headers of a Node request", () => {
  const below = { ...incoming(HEADERS), method: "POST", url: TARGET };
  const request = fakeNodeRequest(below);
  assert.deepEqual(read(request), EXPECTED);
  assert.equal(request.request, below);
  assert.equal(request.connection, below.socket);
});

test("reads the same of a Fetch request", () => {
  const { cookie, "accept-language": language } = HEADERS;
  const headers = { cookie, "accept-language": language };
  const below = new Request(`http://example.test${TARGET}`, { method: "POST", headers });
  const request = fetchRequest(below);
  assert.deepEqual(read(request), EXPECTED);
  assert.equal(request.request, below);
  assert.deepEqual(request.connection, {});
});

test("reads path and query of a whole URL, as clients send it to a proxy", () => {
  for (const [url, path, query] of [
    ["http://example.test/login?error=1", "/login", "?error=1"],
    ["HTTPS://example.test", "/", ""],
    ["http://[/login", "http://[/login", ""],
    ["*", "*", ""],
  ] as const) {
    const request = fakeNodeRequest({ ...incoming(), url });
    assert.deepEqual([request.path, request.query], [path, query], url);
  }
});

test("reads the host of HTTP/2 from its pseudo-header", () => {
  const request = fakeNodeRequest(incoming({ ":authority": "example.test", host: "other.test" }));
  assert.equal(getHost(request), "example.test");
});

test("aborts the signal of a Node request when its response is closed", () => {
  const closed: (() => void)[] = [];
  const response = { once: (_event: "close", listener: () => void) => closed.push(listener) };
  const request = fakeNodeRequest(incoming(), response);
  const { signal } = request;
  assert.equal(signal?.aborted, false);
  assert.equal(request.signal, signal);
  assert.equal(closed.length, 1, "it listens once, however often it is read");
  for (const close of closed) close();
  assert.equal(signal?.aborted, true);
  assert.equal(fakeNodeRequest(incoming()).signal, undefined);
});

test("reads the connection of a request to Hono from its Node server", async (t) => {
  const { auth } = await openAuth(t);
  const app = new Hono().route("/", honoAuth(auth).routes);
  const form = new URLSearchParams({ username: "a", password: "b", confirm: "b" });
  const post = (env: object) => app.request("/setup", { method: "POST", body: form }, env);
  const secure = async (env: object) =>
    (await post(env)).headers.get("set-cookie")?.includes("Secure");
  assert.equal(await secure({ incoming: { socket: { encrypted: true } } }), true);
  for (const env of [{}, { incoming: null }, { incoming: "x" }, { incoming: {} }]) {
    assert.equal((await post(env)).status, 303, JSON.stringify(env));
  }
});
