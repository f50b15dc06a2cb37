import assert from "node:assert/strict";
import { test } from "node:test";
import { Hono } from "hono";
import { createReturnTo } from "../../src/web/return-to.ts";

const OWN = "https://auth.door.test";
const ASKED = "127.0.0.1:3000";

/** Whether somebody who asks for the gate by another name than its own is led back to the target. */
async function isAccepted(publicUrl: string | undefined, target: string): Promise<unknown> {
  const returnTo = createReturnTo({ publicUrl, cookieDomain: undefined });
  const app = new Hono();
  app.get("/", (c) => c.json(returnTo.accepted(c, target) === target));
  return (await app.request("/", { headers: { Host: ASKED } })).json();
}

test("with a public URL that one origin is the gate's own, whatever host was asked for", async () => {
  assert.equal(await isAccepted(OWN, `${OWN}/page`), true);
  assert.equal(await isAccepted(OWN, `http://${ASKED}/page`), false);
});

test("without a public URL the host that was asked for is the gate's own", async () => {
  assert.equal(await isAccepted(undefined, `${OWN}/page`), false);
  assert.equal(await isAccepted(undefined, `http://${ASKED}/page`), true);
});
