import assert from "node:assert/strict";
import { test } from "node:test";
import { createLocalJWKSet, jwtVerify } from "jose";
import { forEachProxy } from "./each.ts";
import { startGuarded } from "./guarded.ts";
import type { RecordingApp } from "./recording-app.ts";
import { startSite } from "./site.ts";

const FORGED = "e30.e30.forged";
/** A client's own assertion, in the spellings that apps may treat alike, or asking to drop it. */
const CLAIMS = [
  { "Latchkey-Assertion": FORGED },
  { "LATCHKEY-ASSERTION": [FORGED, FORGED] },
  { Latchkey_Assertion: FORGED, "Latchkey.Assertion": FORGED },
  { "Latchkey-Assertion": FORGED, Connection: "close, Latchkey-Assertion, Remote-User" },
];

/** Every assertion that the app has received with its last request. */
const arrived = ({ arrivals }: RecordingApp): readonly unknown[] =>
  Object.entries(arrivals.at(-1)?.headers ?? {})
    .filter(([name, value]) => /^latchkey.assertion$/.test(name) && value !== "")
    .map(([, value]) => value);

forEachProxy((proxy) => {
  const remember = proxy.page === "caddy" ? [] : ["--remember", "20s"];
  for (const setUp of ["One host", "Two hosts"] as const) {
    const name = `${proxy.page}, ${setUp.toLowerCase()}`;
    test(`${name}: a client's assertion reaches no app, also if the gate sends none`, async (t) => {
      const { app, visit } = await startGuarded(t, proxy, setUp, ["--public", "/public"]);
      for (const claims of CLAIMS) {
        for (const path of ["/page", "/public/page"]) {
          const headers = { Cookie: "session=valid", ...claims };
          assert.equal((await visit({ path, headers })).status, 200);
          assert.deepEqual(arrived(app), [], JSON.stringify(claims));
        }
      }
      assert.equal(app.arrivals.length, 2 * CLAIMS.length);
    });

    test(`${name}: the app gets the gate's assertion for its host, also remembered`, async (t) => {
      const site = await startSite(t, proxy, setUp, remember);
      const session = await site.gate.setUp();
      const { body } = await site.gate.send("/.well-known/latchkey.json");
      const keys = createLocalJWKSet(JSON.parse(body));
      for (const claims of [{}, {}, ...CLAIMS.slice(0, 3)]) {
        await site.visit(`${site.appUrl}/page`, { session, headers: claims });
        const [assertion, ...others] = arrived(site.app);
        assert.deepEqual(others, []);
        const { payload } = await jwtVerify(String(assertion), keys, {
          audience: "app.example.test",
          requiredClaims: ["exp", "iat"],
        });
        assert.deepEqual([payload.username, payload.groups], ["owner", ["admins"]]);
        assert.ok(Number(payload.exp) > Date.now() / 1_000 + 20);
      }
      const before = site.app.arrivals.length;
      const [, ...refused] = await Promise.all(
        [{}, ...CLAIMS].map((headers) => site.visit(`${site.appUrl}/page`, { headers })),
      );
      for (const answer of refused) {
        assert.deepEqual([answer.status, answer.headers["latchkey-assertion"]], [401, undefined]);
      }
      assert.equal(site.app.arrivals.length, before);
    });
  }
});
