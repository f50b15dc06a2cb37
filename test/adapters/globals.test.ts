import assert from "node:assert/strict";
import { test } from "node:test";
import { frameworks } from "./frameworks.ts";
import { startApp } from "./running.ts";

const { Request, Response } = globalThis;

for (const framework of frameworks) {
  test(`${framework.name}: keeps Node's global Request and Response`, async (t) => {
    const app = await startApp(t, framework, {});
    assert.equal((await app.send("/setup")).status, 200);
    assert.equal((await app.send("/operation")).location, "/setup");
    assert.equal(globalThis.Request, Request);
    assert.equal(globalThis.Response, Response);
  });
}
