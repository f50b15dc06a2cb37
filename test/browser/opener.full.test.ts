import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { openPage } from "../support/browser.ts";
import { OWNER, startGate } from "../support/gate.ts";
import { listenOn } from "../support/listen.ts";
import { submit } from "./forms.ts";

test("a page of another origin that opens the sign-in gets no handle on it", async (t) => {
  const page = await openPage(t);
  const gate = await startGate(t);
  await gate.setUp();
  const other = createServer((_request, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end('<!doctype html><link rel="icon" href="data:,"><title>other</title>');
  });
  await page.goto(`http://127.0.0.1:${await listenOn(t, other)}/`);
  const opening = page.waitForEvent("popup");
  await page.evaluate(`window.opened = window.open(${JSON.stringify(`${gate.url}/login`)})`);
  const opened = await opening;
  await opened.waitForLoadState();
  assert.equal(await opened.evaluate("window.opener"), null);
  assert.equal(await page.evaluate("window.opened.closed"), true);
  await submit(opened, "/login", OWNER);
  assert.equal(new URL(opened.url()).pathname, "/apps");
});
