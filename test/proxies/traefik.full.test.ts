import assert from "node:assert/strict";
import { test } from "node:test";
import { GATE_FOLDERS, GATE_PATHS } from "../../src/cli/proxy/plan.ts";
import type { Answer } from "../support/client.ts";
import { OWNER, type RunningGate, startGate } from "../support/gate.ts";
import { partsOf } from "../support/mint.ts";
import { PAGE } from "./browser.ts";
import { exampleOf, pageOf } from "./examples.ts";

type Headers = Readonly<Record<string, string>>;

interface Request {
  readonly method?: string;
  readonly host?: string;
  readonly uri?: string;
  readonly client?: string;
  readonly headers?: Headers;
  readonly session?: string | undefined;
}

/**
 * Sends a forward-auth request as Traefik documents it: a GET without the body to the address of
 * the middleware, with the client's headers, some replaced by Traefik's own values.
 */
function ask(gate: RunningGate, request: Request): Promise<Answer> {
  const { method = "GET", host = "app.example.test", uri = "/", client = "192.0.2.1" } = request;
  return gate.send("/forward-auth", {
    session: request.session,
    headers: {
      ...request.headers,
      "X-Forwarded-Method": method,
      "X-Forwarded-Proto": "https",
      "X-Forwarded-Host": host,
      "X-Forwarded-Uri": uri,
      "X-Forwarded-For": client,
    },
  });
}

/** A browser's form as Traefik's router for the gate passes it on. */
function post(gate: RunningGate, url: string, fields: Headers, client: string): Promise<Answer> {
  const { host, origin, pathname } = new URL(url);
  return gate.send(pathname, {
    form: fields,
    headers: {
      Host: host,
      Origin: origin,
      "X-Forwarded-Proto": "https",
      "X-Forwarded-Host": host,
      "X-Forwarded-For": client,
    },
  });
}

for (const setUp of ["One host", "Two hosts"] as const) {
  const rule = (name: string, check: (gate: RunningGate) => Promise<void>): void => {
    test(`traefik, ${setUp.toLowerCase()}: ${name}`, async (t) =>
      check(await startGate(t, settings)));
  };
  const { settings, configuration } = exampleOf("traefik", setUp);
  const gateUrl = setUp === "One host" ? "https://app.example.test" : "https://auth.example.test";
  const uri = "/notes/a%20b?tag=a%2Fb&x=1+2&deny=401";
  const page = `https://app.example.test${uri}`;

  rule("admits a user only, and leads a page to the sign-in and back", async (gate) => {
    const toSetup = await ask(gate, { uri, headers: PAGE });
    const setup = `${gateUrl}/setup?return_to=${encodeURIComponent(page)}`;
    assert.deepEqual([toSetup.status, toSetup.location], [303, setup]);
    const { user_id: id } = partsOf(await gate.setUp({ username: "Jürgen" })).claims;
    const claims = { "Remote-User": "attacker", "Remote-User-Id": "1" };

    const redirected = await ask(gate, { uri, headers: { ...PAGE, ...claims } });
    const login = `${gateUrl}/login?return_to=${encodeURIComponent(page)}`;
    assert.deepEqual([redirected.status, redirected.location], [303, login]);
    for (const request of [
      { session: "forged", headers: claims },
      { headers: { ...PAGE, "X-Requested-With": "XMLHttpRequest" } },
      { headers: PAGE, method: "POST" },
    ]) {
      const { status, headers } = await ask(gate, request);
      assert.deepEqual(
        [status, headers.location, headers["remote-user"]],
        [401, undefined, undefined],
      );
    }

    const fields = { ...OWNER, username: "Jürgen", return_to: page };
    const answer = await post(gate, `${gateUrl}/login`, fields, "192.0.2.1");
    assert.deepEqual([answer.status, answer.location], [303, page]);
    for (const headers of [{}, claims]) {
      const admitted = await ask(gate, { session: answer.session, headers, method: "POST" });
      assert.equal(admitted.status, 200);
      assert.equal(admitted.headers["remote-user"], "J%C3%BCrgen");
      assert.equal(admitted.headers["remote-user-id"], id);
    }
  });

  rule("does not redirect to a host outside the site", async (gate) => {
    await gate.setUp();
    for (const host of ["evil.test", "example.test.evil.test", "app.example.test@evil.test"]) {
      const redirected = await ask(gate, { host, headers: PAGE });
      assert.deepEqual([redirected.status, redirected.location], [303, `${gateUrl}/login`], host);
      const fields = { ...OWNER, return_to: `https://${host}/` };
      const answer = await post(gate, `${gateUrl}/login`, fields, "192.0.2.1");
      assert.deepEqual([answer.status, answer.location], [303, "/"], host);
    }
  });

  rule("the documented configuration calls the gate and passes on its headers", async (gate) => {
    const address = /address: http:\/\/127\.0\.0\.1:3000(\S+)/.exec(configuration)?.[1] ?? "";
    const session = await gate.setUp();
    const passed = /authResponseHeaders: \[(.+)\]/.exec(configuration)?.[1]?.split(", ") ?? [];
    const arriving = async (own: Headers) => {
      const { status, headers } = await gate.send(address, { session, headers: own });
      assert.equal(status, 200);
      const all = passed.map((name) => [name.toLowerCase(), headers[name.toLowerCase()]]);
      return Object.fromEntries(all.filter(([, value]) => value !== undefined));
    };
    const { user_id: id } = partsOf(session).claims;
    const user = { "remote-user": "owner", "remote-user-id": id, "remote-groups": "admins" };
    assert.deepEqual(await arriving({}), user);
    for (const authorization of [
      "Basic YW5uOnNlY3JldA==",
      `Negotiate ${"x".repeat(7_000)}`,
      "\xe9",
    ]) {
      const own = { Authorization: authorization };
      assert.deepEqual(await arriving(own), { ...user, authorization }, "Traefik replaces it");
    }
  });

  test(`traefik, ${setUp.toLowerCase()}: every router to the gate removes the client's X-Request-Id`, () => {
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

test("traefik, one host: the gate's pages are routed to the gate", () => {
  const { configuration } = exampleOf("traefik", "One host");
  const routed = configuration.match(/Path(Prefix)?\(`[^`]+`\)/g) ?? [];
  const own = [
    ...GATE_PATHS.map((path) => `Path(\`${path}\`)`),
    ...GATE_FOLDERS.map((path) => `PathPrefix(\`${path}\`)`),
  ];
  assert.deepEqual(routed.sort(), own.sort());
});
