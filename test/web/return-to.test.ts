import assert from "node:assert/strict";
import { test } from "node:test";
import { Hono } from "hono";
import { acceptedTarget } from "../../src/web/return-to.ts";

const OWN = "https://auth.example.test";
const REQUESTED_HOST = "127.0.0.1:3000";

/** Whether a request for another host than the gate's own accepts the return target. */
async function isAccepted(publicUrl: string | undefined, target: string): Promise<unknown> {
  const options = { forwardAuth: true, publicUrl, cookieDomain: undefined };
  const app = new Hono();
  app.get("/", (c) => c.json(acceptedTarget(options, c, target) === target));
  return (await app.request("/", { headers: { Host: REQUESTED_HOST } })).json();
}

test("with a public URL, accepts only that origin, not the requested host", async () => {
  assert.equal(await isAccepted(OWN, `${OWN}/page`), true);
  assert.equal(await isAccepted(OWN, `http://${REQUESTED_HOST}/page`), false);
});

test("without a public URL, accepts the requested host", async () => {
  assert.equal(await isAccepted(undefined, `${OWN}/page`), false);
  assert.equal(await isAccepted(undefined, `http://${REQUESTED_HOST}/page`), true);
});
