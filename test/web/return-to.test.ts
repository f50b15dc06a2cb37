import assert from "node:assert/strict";
import { test } from "node:test";
import { Hono } from "hono";
import { acceptedTarget } from "../../src/web/return-to.ts";

const OWN = "https://auth.example.test";
const REQUESTED_HOST = "127.0.0.1:3000";

interface Asking {
  readonly publicUrl?: string;
  readonly cookieDomain?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Whether a request for another host than the gate's own accepts the return target. */
async function isAccepted(
  { publicUrl, cookieDomain, headers }: Asking,
  target: string,
): Promise<unknown> {
  const options = { forwardAuth: true, publicUrl, cookieDomain };
  const app = new Hono();
  app.get("/", (c) => c.json(acceptedTarget(options, c, target) === target));
  return (await app.request("/", { headers: { Host: REQUESTED_HOST, ...headers } })).json();
}

test("with a public URL, accepts only that origin, not the requested host", async () => {
  assert.equal(await isAccepted({ publicUrl: OWN }, `${OWN}/page`), true);
  assert.equal(await isAccepted({ publicUrl: OWN }, `http://${REQUESTED_HOST}/page`), false);
});

test("without a public URL, accepts the requested host", async () => {
  assert.equal(await isAccepted({}, `${OWN}/page`), false);
  assert.equal(await isAccepted({}, `http://${REQUESTED_HOST}/page`), true);
});

const viaTls = { "X-Forwarded-Proto": "https" };
const shared = { cookieDomain: "example.test" };

const schemes: readonly (readonly [what: string, asking: Asking, http: boolean])[] = [
  ["a public URL with http", { ...shared, publicUrl: "http://auth.example.test" }, true],
  ["a public URL with https", { ...shared, publicUrl: OWN }, false],
  ["no public URL, over plain HTTP", shared, true],
  ["no public URL, over HTTPS", { ...shared, headers: viaTls }, false],
];

for (const [what, asking, http] of schemes) {
  test(`with ${what}, ${http ? "accepts" : "rejects"} an http page of the cookie domain`, async () => {
    assert.equal(await isAccepted(asking, "http://app.example.test/page"), http);
    assert.equal(await isAccepted(asking, "https://app.example.test/page"), true);
  });
}

test("over HTTPS, accepts the requested host with https only", async () => {
  const asking = { headers: viaTls };
  assert.equal(await isAccepted(asking, `https://${REQUESTED_HOST}/page`), true);
  assert.equal(await isAccepted(asking, `http://${REQUESTED_HOST}/page`), false);
});
