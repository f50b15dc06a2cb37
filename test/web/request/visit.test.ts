import assert from "node:assert/strict";
import { test } from "node:test";
import { type Context, Hono } from "hono";
import { markOf, markOfIncoming, visitFrom, visitOf } from "../../../src/web/request/visit.ts";

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

test("of a request to the routes, a visit keeps what pages need, and leaves the query out of the path", async () => {
  const request = new Request("http://door.test/login?error=1&token=t", { headers: HEADERS });
  const below = incoming();
  const visit = await inHandler(request, { incoming: below }, visitOf);
  assert.deepEqual(visit, {
    ...{ method: "GET", path: "/login", cookies: "session=x", languages: "de", error: "1" },
    mark: { request: below, peer: PEER, given: "given" },
  });
  assert.equal(visit.mark.request, below);
});

test("a request without headers and query has none of them in its visit", async () => {
  const visit = await inHandler(
    new Request("http://door.test/"),
    { incoming: incoming() },
    visitOf,
  );
  assert.deepEqual(
    [visit.cookies, visit.languages, visit.error, visit.mark.given],
    [undefined, undefined, undefined, undefined],
  );
});

for (const env of [{}, { incoming: null }, { incoming: "x" }]) {
  test(`where nothing stands below Hono, the Fetch request is what an ID is found by: ${JSON.stringify(env)}`, async () => {
    const request = new Request("http://door.test/");
    const [mark, raw] = await inHandler(request, env, (c) => [markOf(c), c.req.raw] as const);
    assert.equal(mark.request, raw);
    assert.equal(mark.peer, undefined);
  });
}

test("below Hono the same request has the same mark", () => {
  const one = incoming({ "x-request-id": "given" });
  assert.deepEqual(markOfIncoming(one), { request: one, peer: PEER, given: "given" });
  assert.equal(markOfIncoming(one).request, one);
});

test("an ID that came twice is none", () => {
  assert.equal(markOfIncoming(incoming({ "x-request-id": ["a", "b"] })).given, undefined);
  assert.equal(markOfIncoming(incoming()).given, undefined);
});

test("of a Fetch request, a visit is the same; nothing is known of who sent it", () => {
  const request = new Request("http://door.test/a%20page?error=1", {
    method: "POST",
    headers: HEADERS,
  });
  assert.deepEqual(visitFrom(request), {
    ...{ method: "POST", path: "/a%20page", cookies: "session=x", languages: "de", error: "1" },
    mark: { request, peer: undefined, given: undefined },
  });
});

test("as little of a Fetch request as a path without headers is enough", () => {
  const request = { method: "GET", url: "/page?x=y", headers: new Headers() };
  assert.deepEqual(visitFrom(request), {
    ...{ method: "GET", path: "/page", cookies: undefined, languages: undefined },
    error: undefined,
    mark: { request, peer: undefined, given: undefined },
  });
});
