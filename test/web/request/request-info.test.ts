import assert from "node:assert/strict";
import { test } from "node:test";
import { type Context, Hono } from "hono";
import {
  nodeRequestInfo,
  type RequestInfo,
  requestInfo,
  requestInfoOf,
} from "../../../src/web/request/request-info.ts";

const PEER = "192.0.2.1";
const HEADERS = {
  cookie: "session=x",
  "accept-language": "de",
  "x-request-id": "given",
  "x-forwarded-for": "203.0.113.7",
};

/** The information with the headers that it reads in place of the reader. */
const readable = ({ header, ...rest }: RequestInfo) => ({
  ...rest,
  cookie: header("cookie"),
  "accept-language": header("accept-language"),
});

const incoming = (headers: Readonly<Record<string, string | readonly string[]>> = {}) => ({
  socket: { remoteAddress: PEER },
  headers,
});

/** Runs `work` in a handler for this request and returns its result. */
async function runInHandler<T>(request: Request, env: object, work: (c: Context) => T): Promise<T> {
  const results: T[] = [];
  const app = new Hono();
  app.all("*", (c) => {
    results.push(work(c));
    return c.body(null);
  });
  await app.request(request, undefined, env);
  const [result] = results;
  if (result === undefined) throw new Error("the handler did not run");
  return result;
}

test("reads method, URL and headers of a Hono request, the path without the query", async () => {
  const request = new Request("http://example.test/login?error=1&token=t", { headers: HEADERS });
  const below = incoming();
  const info = await runInHandler(request, { incoming: below }, requestInfoOf);
  assert.deepEqual(readable(info), {
    request: below,
    peer: PEER,
    givenId: "given",
    method: "GET",
    path: "/login",
    query: "?error=1&token=t",
    cookie: "session=x",
    "accept-language": "de",
    error: "1",
  });
  assert.equal(info.request, below);
});

test("leaves out headers and query parameters that the request lacks", async () => {
  const request = new Request("http://example.test/");
  const info = await runInHandler(request, { incoming: incoming() }, requestInfoOf);
  assert.deepEqual(
    [info.header("cookie"), info.query, info.error, info.givenId],
    [undefined, "", undefined, undefined],
  );
});

for (const env of [{}, { incoming: null }, { incoming: "x" }]) {
  test(`identifies a request without a Node request by the Fetch request: ${JSON.stringify(env)}`, async () => {
    const request = new Request("http://example.test/");
    const [info, raw] = await runInHandler(
      request,
      env,
      (c) => [requestInfoOf(c), c.req.raw] as const,
    );
    assert.equal(info.request, raw);
    assert.equal(info.peer, undefined);
  });
}

test("reads the same from a Node request", () => {
  const nodeRequest = { ...incoming(HEADERS), method: "POST", url: "/a?error=1&token=t" };
  const info = nodeRequestInfo(nodeRequest);
  assert.deepEqual(readable(info), {
    request: nodeRequest,
    peer: PEER,
    givenId: "given",
    method: "POST",
    path: "/a",
    query: "?error=1&token=t",
    cookie: "session=x",
    "accept-language": "de",
    error: "1",
  });
  assert.equal(info.request, nodeRequest);
  assert.deepEqual(readable(nodeRequestInfo(incoming())), {
    request: incoming(),
    peer: PEER,
    givenId: undefined,
    method: "GET",
    path: "/",
    query: "",
    cookie: undefined,
    "accept-language": undefined,
    error: undefined,
  });
});

test("reads the URL of the client from a Node request whose URL a router has changed", () => {
  const request = { ...incoming(), url: "/a?b", originalUrl: "/outer/a?b" };
  const { path, query } = nodeRequestInfo(request);
  assert.deepEqual([path, query], ["/outer/a", "?b"]);
});

test("ignores a repeated X-Request-Id", () => {
  assert.equal(nodeRequestInfo(incoming({ "x-request-id": ["a", "b"] })).givenId, undefined);
  assert.equal(nodeRequestInfo(incoming()).givenId, undefined);
});

test("reads the same from a Fetch request, except what needs a peer", () => {
  const request = new Request("http://example.test/a%20page?error=1", {
    method: "POST",
    headers: HEADERS,
  });
  assert.deepEqual(readable(requestInfo(request)), {
    request,
    peer: undefined,
    givenId: undefined,
    method: "POST",
    path: "/a%20page",
    query: "?error=1",
    cookie: "session=x",
    "accept-language": "de",
    error: "1",
  });
});

test("accepts a path without headers in place of a Fetch request", () => {
  const request = { method: "GET", url: "/page?x=y", headers: new Headers() };
  const { path, query, header, error } = requestInfo(request);
  assert.deepEqual([path, query, header("cookie"), error], ["/page", "?x=y", undefined, undefined]);
});
