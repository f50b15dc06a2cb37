import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeyText } from "../../src/identity/key-text.ts";
import { outputOf } from "../support/command.ts";
import { frameworks } from "./frameworks.ts";
import { startApp } from "./running.ts";

const PATHS = ["/operation", "/handler"];
const KEYS = { guards: { keys: true, onDenied: "negotiate" } } as const;

for (const framework of frameworks) {
  test(`${framework.name}: guards admit a key only where keys are on`, async (t) => {
    const app = await startApp(t, framework, KEYS);
    const session = app.addAccount();
    const env = { DATABASE_URL: `sqlite:${app.databaseFile}` };
    const add = ["key", "add", "test", "--user", "owner", "--hosts"];
    const hosts = ["127.0.0.1", "other.example.org"];
    const [here = "", elsewhere = ""] = await Promise.all(
      hosts.map(async (host) => (await outputOf([...add, host], { env })).trim()),
    );
    for (const path of PATHS) {
      const ask = (key: string, given: string | undefined = undefined) =>
        app.send(path, { headers: { Authorization: `Bearer ${key}` }, session: given });
      const { status, body } = await ask(here);
      assert.deepEqual([status, body], [200, "for owner"], path);
      for (const wrong of [elsewhere, createKeyText()]) {
        const refused = await ask(wrong, session);
        assert.equal(refused.status, 401, path);
        assert.equal(refused.headers["www-authenticate"], 'Bearer error="invalid_token"');
      }
      assert.equal((await ask("other", session)).status, 200);
      const { status: denied, headers } = await app.send(path);
      assert.equal(denied, 401);
      assert.match(String(headers["www-authenticate"]), /^Basic /, "some programs wait for it");
    }
    const owned = await app.send("/account/me", { headers: { Authorization: `Bearer ${here}` } });
    assert.equal(owned.status, 401, "not for Latchkey itself");
  });

  test(`${framework.name}: guards do not read a key unless keys are on`, async (t) => {
    const app = await startApp(t, framework);
    app.addAccount();
    const headers = { Authorization: "Bearer latchkey_x" };
    for (const path of PATHS) {
      const { status, location } = await app.send(path, { headers });
      assert.deepEqual([status, location], [303, "/login"]);
    }
    assert.deepEqual(app.log, []);
  });
}
