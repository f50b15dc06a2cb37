import assert from "node:assert/strict";
import { METHODS } from "node:http";
import { test } from "node:test";
import { addKey } from "../support/add-key.ts";
import { addUser } from "../support/add-user.ts";
import { startConfigured } from "../support/gate.ts";
import { sendRaw } from "../support/raw.ts";
import { BROWSER, FORWARD_AUTH, PUBLIC_URL } from "./forward-auth-asking.ts";

/**
 * A request as Envoy's filter `ext_authz` sends it to an HTTP service: the method, the host, and the
 * path below the prefix are the client's; of its headers only the allowed ones; never a body.
 */
function askAsEnvoy(
  url: string,
  request: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const [method, path] = request.split(" ");
  const lines = {
    host: "app.example.test",
    "content-length": "0",
    ...headers,
    "x-forwarded-proto": "https",
    "x-envoy-internal": "true",
    "x-forwarded-for": "10.0.0.7",
    "x-envoy-expected-rq-timeout-ms": "5000",
    connection: "close",
  };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  return sendRaw(url, `${method} /forward-auth${path} HTTP/1.1\r\n${head.join("")}\r\n`);
}

const statusOf = (answer: string): number => Number(answer.split(" ", 2)[1]);
const headerOf = (answer: string, name: string): string | undefined =>
  new RegExp(`^${name}: (.*)\r$`, "im").exec(answer)?.[1];

test("below its path, every method and path is admitted with a session alone", async (t) => {
  const { gate, session } = await startConfigured(t, FORWARD_AUTH);
  const cookie = `session=${session}`;
  // CONNECT has no path; the others are what Node reads.
  for (const method of METHODS.filter((one) => one !== "CONNECT")) {
    const admitted = await askAsEnvoy(gate.url, `${method} /a%20b/?x=1`, { cookie });
    assert.deepEqual([statusOf(admitted), headerOf(admitted, "remote-user")], [200, "owner"]);
    const denied = await askAsEnvoy(gate.url, `${method} /a%20b/?x=1`);
    assert.deepEqual([statusOf(denied), headerOf(denied, "remote-user")], [401, undefined]);
  }
});

test("below its path, asks Envoy to remove a key, and not a session", async (t) => {
  const { gate, session } = await startConfigured(t, FORWARD_AUTH);
  const authorization = `Bearer ${await addKey(gate)}`;
  const removedFor = async (headers: Readonly<Record<string, string>>) => {
    const answer = await askAsEnvoy(gate.url, "GET /notes", headers);
    assert.equal(statusOf(answer), 200);
    return headerOf(answer, "x-envoy-auth-headers-to-remove");
  };
  const absent = "remote-name, remote-email";
  assert.equal(await removedFor({ authorization }), `${absent}, authorization`);
  const own = { cookie: `session=${session}`, authorization: "Bearer other" };
  assert.equal(await removedFor(own), absent);
});

test("below its path, redirects a page to the sign-in and back", async (t) => {
  const { gate } = await startConfigured(t, FORWARD_AUTH);
  const claimed = { "x-forwarded-host": "auth.example.test", "x-forwarded-uri": "/elsewhere" };
  for (const path of ["/", "/notes/a%20b?tag=a%2Fb&deny=401", "/forward-auth/?x"]) {
    for (const headers of [BROWSER, { ...BROWSER, ...claimed, "x-forwarded-method": "POST" }]) {
      const answer = await askAsEnvoy(gate.url, `GET ${path}`, headers);
      const target = encodeURIComponent(`https://app.example.test${path}`);
      assert.equal(statusOf(answer), 303);
      assert.equal(headerOf(answer, "location"), `${PUBLIC_URL}/login?return_to=${target}`);
    }
  }
  const form = await askAsEnvoy(gate.url, "POST /notes", {
    ...BROWSER,
    "x-forwarded-method": "GET",
  });
  assert.equal(statusOf(form), 401);
  for (const path of ["//evil.test/", "/@evil.test/", "/%2f/evil.test"]) {
    const answer = await askAsEnvoy(gate.url, `GET ${path}`, BROWSER);
    const target = new URL(headerOf(answer, "location") ?? "").searchParams.get("return_to");
    assert.equal(target && new URL(target).host, "app.example.test", path);
  }
  const foreign = await askAsEnvoy(gate.url, "GET /", { ...BROWSER, host: "evil.test" });
  assert.equal(headerOf(foreign, "location"), `${PUBLIC_URL}/login`);
});

test("below its path, the page to return to counts only from a trusted proxy", async (t) => {
  const { gate } = await startConfigured(t, { ...FORWARD_AUTH, trustedProxies: [] });
  const answer = await askAsEnvoy(gate.url, "GET /notes", BROWSER);
  assert.equal(headerOf(answer, "location"), `${PUBLIC_URL}/login`);
});

test("below its path, the client's query is not read", async (t) => {
  const { gate } = await startConfigured(t, FORWARD_AUTH);
  const cookie = `session=${addUser(gate, "guest")}`;
  for (const path of ["/a?users=owner", "/a?groups=x", "/x?user=1", "/?usersx=1", "/?x=users="]) {
    assert.equal(statusOf(await askAsEnvoy(gate.url, `GET ${path}`, { cookie })), 200, path);
  }
});

test("refuses a list after a slash too many, which is not read", async (t) => {
  const { gate, session } = await startConfigured(t, FORWARD_AUTH);
  for (const query of ["?users=a", "?x&users=a", "?groups=a", "?factor=2", "?users", "?groups&x"]) {
    const { status, body } = await gate.send(`/forward-auth/${query}`, { session });
    assert.equal(status, 400, query);
    const advice =
      /^users, groups, factor and apps are not read below \/forward-auth: remove the slash/;
    assert.match(body, advice);
  }
});

test("a path that only begins like it admits nobody", async (t) => {
  const { gate, session } = await startConfigured(t, FORWARD_AUTH);
  for (const path of [
    "/forward-authx",
    "/forward-auth;x",
    "/forward-auth%2fx",
    "/x/forward-auth",
  ]) {
    const { status, headers } = await gate.send(path, { session });
    assert.deepEqual([status, headers["remote-user"]], [404, undefined], path);
  }
});
