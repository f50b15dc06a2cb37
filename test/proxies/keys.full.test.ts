import assert from "node:assert/strict";
import { test } from "node:test";
import { caddy } from "./caddy.ts";
import { startGuarded } from "./guarded.ts";
import { haproxy } from "./haproxy.ts";
import { nginx } from "./nginx.ts";
import { whereInstalled } from "./program.ts";
import type { ProxyServer } from "./site.ts";

const SESSION = { Cookie: "session=valid" };
/** Other than a key: what apps read themselves, up to the size that a header may have. */
const OTHERS = [
  "Basic YW5uOnNlY3JldA==",
  "Bearer other",
  `Negotiate ${"x".repeat(7_000)}`,
  "x \t\xe9",
];

function testKeys(proxy: ProxyServer): void {
  for (const setUp of ["One host", "Two hosts"] as const) {
    test(`${proxy.page}, ${setUp.toLowerCase()}: the app never gets an accepted key, and other Authorization unchanged`, async (t) => {
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
  }
}

whereInstalled("nginx", (program) => testKeys(nginx(program)));
whereInstalled("caddy", (program) => testKeys(caddy(program)));
whereInstalled("haproxy", (program) => testKeys(haproxy(program)));
