import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { constants, type Http2ServerRequest, type ServerHttp2Stream } from "node:http2";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { LOCALHOST } from "../../../test/gate/https/secure-gate.ts";
import { closeShared, offeredVersions } from "../src/http/http2.ts";
import { type HttpRequest, sendRequest } from "../src/http/request.ts";
import { NoResponse, type ServerAddress } from "../src/http/wire.ts";
import { listen } from "./sample-listener.ts";

async function startServer(t: TestContext, listener: RequestListener): Promise<ServerAddress> {
  const { port } = new URL(await listen(t, {}, LOCALHOST, listener));
  const address = { protocol: "https:", host: "localhost", port: Number(port), http2: {} } as const;
  t.after(() => closeShared(address));
  return address;
}

const streamOf = (request: unknown): ServerHttp2Stream => (request as Http2ServerRequest).stream;

test("sends a request with everything that HTTP/2 has, and reads the response", async (t) => {
  const address = await startServer(t, async (request, response) => {
    const { method, url, headers, httpVersion } = request;
    const chunks: Buffer[] = await request.toArray();
    const body = Buffer.concat(chunks).toString();
    response.writeHead(303, { Location: "/next", "Set-Cookie": ["a=1", "session=x; Path=/"] });
    response.end(JSON.stringify({ method, url, headers, httpVersion, body }));
  });
  const response = await sendRequest(address, {
    path: "/login?a=%20",
    form: { username: "ü" },
    session: "s",
    headers: { Host: "evil.example", "Remote.User": ["a", "b"], Upgrade: "websocket" },
  });
  const { status, location, cookies, session, body } = response;
  assert.deepEqual([status, location, session], [303, "/next", "x"]);
  assert.deepEqual(cookies, ["a=1", "session=x; Path=/"]);
  const { headers, ...received } = JSON.parse(body);
  assert.deepEqual(received, {
    method: "POST",
    url: "/login?a=%20",
    httpVersion: "2.0",
    body: "username=%C3%BC",
  });
  assert.deepEqual(headers, {
    ":method": "POST",
    ":scheme": "https",
    ":path": "/login?a=%20",
    ":authority": "evil.example",
    "content-type": "application/x-www-form-urlencoded",
    "content-length": "15",
    cookie: "session=s",
    "remote.user": "a, b",
  });
});

test("counts a request that is reset, or that HTTP/2 cannot express, as refused", async (t) => {
  const address = await startServer(t, (request, response) => {
    if (request.url === "/fine") return response.end();
    return streamOf(request).close(constants.NGHTTP2_PROTOCOL_ERROR);
  });
  const requests: readonly HttpRequest[] = [
    { path: "/reset" },
    { path: "/fine", method: "GET " },
    { path: "/fine", headers: { "Not a name": "x" } },
  ];
  for (const request of requests) {
    assert.equal((await sendRequest(address, request)).status, 400, JSON.stringify(request));
  }
  assert.equal((await sendRequest(address, { path: "/fine" })).status, 200);
});

test("repeats a request alone if another one ends the connection that they share", async (t) => {
  let shared: number | undefined;
  const address = await startServer(t, (request, response) => {
    const { remotePort } = request.socket;
    shared ??= remotePort;
    if (request.url === "/fatal") streamOf(request).session?.destroy();
    else if (remotePort !== shared) response.end();
  });
  const fine = sendRequest(address, { path: "/fine" });
  const fatal = sendRequest(address, { path: "/fatal" });
  await assert.rejects(fatal, NoResponse);
  assert.equal((await fine).status, 200);
  assert.equal((await sendRequest(address, { path: "/fine" })).status, 200);
});

test("ends a request over HTTP/2 at the time limit and when the signal is aborted", async (t) => {
  const address = await startServer(t, () => undefined);
  const late = sendRequest(address, { path: "/", withinMs: 100 });
  await assert.rejects(late, { message: "no response in time" });
  const stopping = new AbortController();
  const stopped = sendRequest(address, { path: "/" }, stopping.signal);
  await pause(0);
  stopping.abort();
  await assert.rejects(stopped, { message: "stopped" });
});

test("reports a server that cannot be reached over HTTP/2", async (t) => {
  const address = await startServer(t, () => undefined);
  const { port } = new URL(await listen(t, {}, undefined, () => undefined));
  for (const other of [{ port: Number(port) }, { port: 1 }, { host: "127.0.0.1" }]) {
    const sending = sendRequest({ ...address, http2: {}, ...other }, { path: "/" });
    await assert.rejects(sending, NoResponse, JSON.stringify(other));
  }
});

test("reports a connection that the server closes without a response", async (t) => {
  const address = await startServer(t, (request) => streamOf(request).session?.destroy());
  await assert.rejects(sendRequest(address, { path: "/" }), NoResponse);
});

test("finds out whether a server offers HTTP/2", async (t) => {
  const secure = await startServer(t, () => undefined);
  assert.deepEqual(await offeredVersions(secure), ["1.1", "2"]);
  assert.deepEqual(await offeredVersions({ ...secure, protocol: "http:" }), ["1.1"]);
});
