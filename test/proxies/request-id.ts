import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { freePort } from "../support/free-port.ts";
import { exampleOf, type SetUp } from "./examples.ts";
import { startRecordingApp } from "./recording-app.ts";
import { type Places, PROXY_HOST, type ProxyServer, visit } from "./site.ts";

/** Requests each URL with a chosen ID, with a recording server instead of the gate. */
export async function assertOwnRequestIds(
  t: TestContext,
  start: (places: Places) => Promise<void>,
  urls: readonly string[],
): Promise<void> {
  const gate = await startRecordingApp(t);
  const app = await startRecordingApp(t);
  const port = await freePort(PROXY_HOST);
  await start({ gate: gate.place, app: app.place, host: PROXY_HOST, port });
  for (const url of urls) {
    const { hostname, pathname } = new URL(url);
    const headers = { "X-Request-Id": "claimed" };
    await visit(`http://${hostname}:${port}${pathname}`, { headers });
  }
  const ids = gate.arrivals.map(({ headers }) => headers["x-request-id"]);
  for (const id of ids) assert.match(String(id), /^[\da-f-]{32,36}$/);
  assert.equal(new Set(ids).size, urls.length);
}

/** Tests the example of this page, for the gate's pages and for an application's page. */
export function testRequestIds(proxy: ProxyServer, setUp: SetUp): void {
  test(`${proxy.page}, ${setUp.toLowerCase()}: no client chooses its ID`, async (t) => {
    const { configuration } = exampleOf(proxy.page, setUp);
    const own = setUp === "One host" ? "http://app.example.test" : "http://auth.example.test";
    const urls = [`${own}/login`, `${own}/account/`, "http://app.example.test/page"];
    await assertOwnRequestIds(t, (places) => proxy.start(t, configuration, places), urls);
  });
}
