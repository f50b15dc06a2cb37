import assert from "node:assert/strict";
import { test } from "node:test";
import { addKey } from "../support/add-key.ts";
import { sendRaw } from "../support/raw.ts";
import { forEachProxy } from "./each.ts";
import { startGuarded } from "./guarded.ts";
import { startSite } from "./site.ts";

const SESSION = { Cookie: "session=valid" };
/** Other than a key: what apps read themselves, up to the size that a header may have. */
const OTHERS = [
  "Basic YW5uOnNlY3JldA==",
  "Bearer other",
  `Negotiate ${"x".repeat(7_000)}`,
  "x \t\xe9",
];

forEachProxy((proxy) => {
  for (const setUp of ["One host", "Two hosts"] as const) {
    test(`${proxy.page}, ${setUp.toLowerCase()}: the app never gets a key`, async (t) => {
      const { app, visit } = await startGuarded(t, proxy, setUp);
      const arrived = async (headers: Readonly<Record<string, string>>) => {
        assert.equal((await visit({ headers })).status, 200, JSON.stringify(headers));
        return app.arrivals.at(-1)?.headers ?? {};
      };
      const Authorization = "Bearer latchkey_valid";
      const dropping = { Connection: "close, Latchkey-Key, Remote-User" };
      for (const more of [{}, { "Latchkey-Key": "x" }, dropping, { Upgrade: "h2c" }]) {
        const headers = await arrived({ Authorization, ...more });
        assert.equal(headers.authorization, undefined, JSON.stringify(more));
        assert.equal(headers["remote-user"], "owner");
        assert.notEqual(headers["latchkey-key"], "accepted");
      }
      for (const other of OTHERS) {
        const headers = await arrived({ ...SESSION, Authorization: other });
        assert.equal(headers.authorization, other);
      }
      assert.equal((await arrived(SESSION)).authorization, undefined);
      assert.equal((await visit({ headers: { Authorization: "Bearer other" } })).status, 401);
    });

    test(`${proxy.page}, ${setUp.toLowerCase()}: a key opens only its hosts`, async (t) => {
      const site = await startSite(t, proxy, setUp);
      await site.gate.setUp();
      const { app, appUrl, proxyUrl } = site;
      const own = await addKey(site.gate, "--hosts", "app.example.test");
      const other = await addKey(site.gate, "--hosts", "other.example.test");
      const visit = async (key: string) =>
        (await site.visit(appUrl, { headers: { Authorization: `Bearer ${key}` } })).status;
      assert.deepEqual([await visit(own), await visit(other)], [200, 401]);
      const head = `GET ${appUrl}/ HTTP/1.1\r\nHost: other.example.test\r\nConnection: close\r\n`;
      await sendRaw(proxyUrl, `${head}Authorization: Bearer ${other}\r\n\r\n`);
      assert.equal(app.arrivals.length, 1);
    });
  }
});
