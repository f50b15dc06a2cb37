import assert from "node:assert/strict";
import { test } from "node:test";
import { type Context, Hono } from "hono";
import {
  nodeRequestInfo,
  requestInfo,
  requestInfoOf,
} from "../../../src/web/request/request-info.ts";

const PEER = "192.0.2.1";
const HEADERS = { cookie: "session=x", "accept-language": "de", "x-request-id": "given" };

const incoming = (headers: Readonly<Record<string, string | readonly string[]>> = {}) => ({
  socket: { remoteAddress: PEER },
  headers,
});

/** What a handler makes of this request. */
async function inHandler<T>(request: Request, env: object, work: (c: Context) => T): Promise<T> {
  const made: T[] = [];
  const app = new Hono();
  app.all("*", (c) => {
    made.push(work(c));
    return c.body(null);
  });
  await app.request(request, undefined, env);
  const [one] = made;
  if (one === undefined) throw new Error("the handler did not run");
  return one;
}

test("reads what pages need from a request to the routes, and leaves the query out of the path", async () => {
  const request = new Request("http://door.test/login?error=1&token=t", { headers: HEADERS });
  const below = incoming();
  const info = await inHandler(request, { incoming: below }, requestInfoOf);
  assert.deepEqual(info, {
    request: below,
    peer: PEER,
    givenId: "given",
    method: "GET",
    path: "/login",
    cookies: "session=x",
    languages: "de",
    error: "1",
  });
  assert.equal(info.request, below);
});

test("leaves out headers and query parameters that the request lacks", async () => {
  const request = new Request("http://door.test/");
  const info = await inHandler(request, { incoming: incoming() }, requestInfoOf);
  assert.deepEqual(
    [info.cookies, info.languages, info.error, info.givenId],
    [undefined, undefined, undefined, undefined],
  );
});

for (const env of [{}, { incoming: null }, { incoming: "x" }]) {
  test(`identifies a request without a Node request by the Fetch request: ${JSON.stringify(env)}`, async () => {
    const request = new Request("http://door.test/");
    const [info, raw] = await inHandler(
      request,
      env,
      (c) => [requestInfoOf(c), c.req.raw] as const,
    );
    assert.equal(info.request, raw);
    assert.equal(info.peer, undefined);
  });
}

test("reads the same from a Node request", () => {
  const one = { ...incoming(HEADERS), method: "POST", url: "/a?error=1&token=t" };
  const info = nodeRequestInfo(one);
  assert.deepEqual(info, {
    request: one,
    peer: PEER,
    givenId: "given",
    method: "POST",
    path: "/a",
    cookies: "session=x",
    languages: "de",
    error: "1",
  });
  assert.equal(info.request, one);
  assert.equal(nodeRequestInfo(one, "/outer/a?b").path, "/outer/a");
});

test("ignores an X-Request-Id that came twice", () => {
  assert.equal(nodeRequestInfo(incoming({ "x-request-id": ["a", "b"] })).givenId, undefined);
  assert.equal(nodeRequestInfo(incoming()).givenId, undefined);
});

test("reads the same from a Fetch request, but nothing of who sent it", () => {
  const request = new Request("http://door.test/a%20page?error=1", {
    method: "POST",
    headers: HEADERS,
  });
  assert.deepEqual(requestInfo(request), {
    request,
    peer: undefined,
    givenId: undefined,
    method: "POST",
    path: "/a%20page",
    cookies: "session=x",
    languages: "de",
    error: "1",
  });
});

test("accepts a path without headers in place of a Fetch request", () => {
  const request = { method: "GET", url: "/page?x=y", headers: new Headers() };
  const { path, cookies, languages, error } = requestInfo(request);
  assert.deepEqual([path, cookies, languages, error], ["/page", undefined, undefined, undefined]);
});
