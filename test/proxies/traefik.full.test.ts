import assert from "node:assert/strict";
import { test } from "node:test";
import { PAGE, TARGET } from "../spec/forward-auth-asking.ts";
import { startGate } from "../support/gate.ts";
import { partsOf } from "../support/mint.ts";
import { exampleOf, pageOf } from "./examples.ts";

type Headers = Readonly<Record<string, string>>;

for (const setUp of ["One host", "Two hosts"] as const) {
  const { settings, configuration } = exampleOf("traefik", setUp);
  test(`traefik, ${setUp.toLowerCase()}: calls the gate, passes its headers`, async (t) => {
    const gate = await startGate(t, settings);
    const address = /address: http:\/\/127\.0\.0\.1:3000(\S+)/.exec(configuration)?.[1] ?? "";
    const session = await gate.setUp({ username: "Jürgen" });
    const passed = /authResponseHeaders: \[(.+)\]/.exec(configuration)?.[1]?.split(", ") ?? [];
    const arriving = async (own: Headers) => {
      const { status, headers } = await gate.send(address, { session, headers: own });
      assert.equal(status, 200);
      const all = passed.map((name) => [name.toLowerCase(), headers[name.toLowerCase()]]);
      return Object.fromEntries(all.filter(([, value]) => value !== undefined));
    };
    const { user_id: id } = partsOf(session).claims;
    const user = { "remote-user": "J%C3%BCrgen", "remote-user-id": id, "remote-groups": "admins" };
    assert.deepEqual(await arriving({}), user);
    const gateUrl = setUp === "One host" ? "https://app.example.test" : "https://auth.example.test";
    const { location } = await gate.send(address, { headers: PAGE });
    assert.equal(location, `${gateUrl}/login?return_to=${TARGET}`);
    for (const authorization of ["Basic YW5uOg==", `Negotiate ${"x".repeat(7_000)}`, "\xe9"]) {
      const own = { Authorization: authorization };
      assert.deepEqual(await arriving(own), { ...user, authorization }, "Traefik replaces it");
    }
  });

  test(`traefik, ${setUp.toLowerCase()}: removes the client's X-Request-Id`, () => {
    const removed = /^ {4}claims:\n(.*?)^ {4}\w/ms.exec(configuration)?.[1] ?? "";
    assert.match(removed, /^ {10}X-Request-Id: ""$/m);
    const routers = configuration.split(/^ {2}middlewares:/m)[0] ?? "";
    const rules = routers.match(/^ {6}rule: .*$/gm) ?? [];
    assert.ok(rules.length >= 2);
    assert.equal(routers.match(/^ {6}middlewares: \[claims\b/gm)?.length, rules.length);
  });
}

test("traefik: the documented entry point deletes aliases of header names", () => {
  const [, entryPoints = ""] = /^```yaml\n(entryPoints:\n.*?)^```/ms.exec(pageOf("traefik")) ?? [];
  assert.match(entryPoints, /^ {4}http:\n {6}aliasHeadersStrategy: delete$/m);
});
