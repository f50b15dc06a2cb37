/** What clients of other authors need of the provider. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type TestContext, test } from "node:test";
import type { Answer } from "../../support/client.ts";
import { freePort } from "../../support/free-port.ts";
import { type RunningGate, startGate } from "../../support/gate.ts";
import { type RegisteredApp, registerApp } from "../../support/register-app.ts";

const ORIGIN = "https://photos.example.org";
const CALLBACK = `${ORIGIN}/callback`;
const BYE = `${ORIGIN}/bye`;
const VERIFIER = "v".repeat(43);

async function startProvider(t: TestContext) {
  const port = await freePort();
  const gate = await startGate(t, { port, publicUrl: `http://localhost:${port}` });
  return { gate, session: await gate.setUp() };
}

/** Returns what the app gets for the code of a sign-in. */
async function signIn(
  gate: RunningGate,
  session: string,
  { id, secret }: RegisteredApp,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const query = new URLSearchParams({
    client_id: id,
    redirect_uri: CALLBACK,
    response_type: "code",
    scope: "openid",
    code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
    code_challenge_method: "S256",
  });
  const { location = "" } = await gate.send(`/oidc/authorize?${query}`, { session });
  const code = new URL(location).searchParams.get("code") ?? "";
  const client = secret === "" ? { client_id: id } : { client_id: id, client_secret: secret };
  const grant = { grant_type: "authorization_code", code, redirect_uri: CALLBACK };
  const form = { ...client, ...grant, code_verifier: VERIFIER };
  return gate.send("/oidc/token", { form, headers });
}

test("revokes a token for the app that has it, and for no other", async (t) => {
  const info = t.mock.method(console, "info");
  const { gate, session } = await startProvider(t);
  const photos = await registerApp(gate, { name: "Photos", redirects: [CALLBACK] });
  const wiki = await registerApp(gate, { name: "Wiki", redirects: ["https://wiki.example.org/"] });
  const { access_token: token } = JSON.parse((await signIn(gate, session, photos)).body);
  const isActive = async (): Promise<boolean> => {
    const headers = { Authorization: `Bearer ${token}` };
    return (await gate.send("/oidc/userinfo", { headers })).status === 200;
  };
  const revoke = ({ id, secret }: RegisteredApp) =>
    gate.send("/oidc/revoke", { form: { client_id: id, client_secret: secret, token } });
  assert.equal((await revoke(wiki)).status, 400);
  assert.equal(await isActive(), true);
  assert.equal((await revoke(photos)).status, 200);
  assert.equal(await isActive(), false);
  assert.equal(info.mock.callCount(), 0, "the library prints no notice into the log");
});

test("a page of a public client reads its tokens, and no page those of another app", async (t) => {
  const { gate, session } = await startProvider(t);
  const fields = { redirects: [CALLBACK], clientType: "public" } as const;
  const app = await registerApp(gate, { name: "Photos", ...fields });
  const preflight = {
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "content-type",
  };
  const asked = { method: "OPTIONS", headers: { Origin: ORIGIN, ...preflight } };
  assert.equal((await gate.send("/oidc/token", asked)).status, 204);
  const page = { Origin: ORIGIN, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors" };
  const own = await signIn(gate, session, app, page);
  assert.deepEqual([own.status, own.headers["access-control-allow-origin"]], [200, ORIGIN]);
  const other = await signIn(gate, session, app, { ...page, Origin: "https://evil.example" });
  assert.equal(other.headers["access-control-allow-origin"], undefined);
});

test("a sign-out without an ID token returns to the one app that has the URI", async (t) => {
  const { gate, session } = await startProvider(t);
  const shared = `${ORIGIN}/shared`;
  const redirects = [CALLBACK];
  await registerApp(gate, { name: "Photos", redirects, signOutRedirects: [BYE, shared] });
  await registerApp(gate, { name: "Wiki", redirects, signOutRedirects: [shared] });
  const ask = (uri: string) =>
    gate.send(`/oidc/logout?${new URLSearchParams({ post_logout_redirect_uri: uri })}`, {
      session,
    });
  const { location = "" } = await ask(BYE);
  assert.equal(new URL(location, ORIGIN).searchParams.get("client_id"), "photos");
  assert.match((await gate.send(location, { session })).body, /Photos/);
  for (const uri of [shared, "https://evil.example/"]) {
    const { status, location: named, body } = await ask(uri);
    assert.deepEqual([status, named], [200, undefined]);
    assert.doesNotMatch(body, /Photos|Wiki/);
  }
});
