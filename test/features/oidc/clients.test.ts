/** What clients of other authors need of the provider. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type TestContext, test } from "node:test";
import type { Answer } from "../../support/client.ts";
import { runCommand } from "../../support/command.ts";
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

/** Returns the code that the app gets for a session. */
async function getCode(
  gate: RunningGate,
  session: string,
  { id }: RegisteredApp,
  parameters: Readonly<Record<string, string>> = {},
): Promise<string> {
  const query = new URLSearchParams({
    client_id: id,
    redirect_uri: CALLBACK,
    response_type: "code",
    scope: "openid",
    code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
    code_challenge_method: "S256",
    ...parameters,
  });
  const { location = "" } = await gate.send(`/oidc/authorize?${query}`, { session });
  return new URL(location).searchParams.get("code") ?? "";
}

/** Returns what the app gets for the code of a sign-in. */
async function signIn(
  gate: RunningGate,
  session: string,
  app: RegisteredApp,
  headers: Readonly<Record<string, string>> = {},
  parameters: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const { id, secret } = app;
  const code = await getCode(gate, session, app, parameters);
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

const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;

test("an app learns of its access token whose it is, by the scopes, and other apps nothing", async (t) => {
  const { gate, session } = await startProvider(t);
  const mail = await registerApp(gate, { name: "Mail", redirects: [CALLBACK] });
  const wiki = await registerApp(gate, { name: "Wiki", redirects: ["https://wiki.example.org/"] });
  const email = ["--email", "ada@example.org", "--email-verified"];
  const setProfile = async (...fields: readonly string[]): Promise<void> => {
    const env = { DATA_DIR: gate.dataDir };
    assert.equal((await runCommand(["user", "set", "owner", ...fields], { env })).code, 0);
  };
  await setProfile("--name", "Ada", ...email);
  const getToken = async (scope: string): Promise<Readonly<Record<string, string>>> =>
    JSON.parse((await signIn(gate, session, mail, {}, { scope })).body);
  const introspect = async ({ id, secret }: RegisteredApp, token = "") => {
    const headers = { Authorization: basic(id, secret) };
    const { body } = await gate.send("/oidc/introspect", { form: { token }, headers });
    return JSON.parse(body);
  };

  const { access_token: token, refresh_token: refresh } = await getToken("openid profile email");
  const seen = await introspect(mail, token);
  assert.deepEqual(
    [seen.active, seen.username, seen.preferred_username, seen.name, seen.email],
    [true, "owner", "owner", "Ada", "ada@example.org"],
  );
  assert.deepEqual([seen.email_verified, seen.groups], [true, undefined]);
  assert.deepEqual(await introspect(wiki, token), { active: false });
  const refreshing = await introspect(mail, refresh);
  assert.deepEqual([refreshing.active, refreshing.email], [true, undefined]);

  const { access_token: narrow } = await getToken("openid groups");
  const less = await introspect(mail, narrow);
  assert.deepEqual([less.username, less.email, less.groups], [undefined, undefined, ["admins"]]);
  assert.equal(less.sub, seen.sub);

  // Several people can have the same address, as long as nobody has verified it.
  await setProfile("--email", "boss@example.org");
  const unverified = await introspect(mail, token);
  assert.deepEqual(
    [unverified.active, unverified.email, unverified.email_verified],
    [true, undefined, false],
  );
});

test("a public client may send its ID by Basic with an empty secret, and no other client", async (t) => {
  const { gate, session } = await startProvider(t);
  const fields = { redirects: [CALLBACK] };
  const desk = await registerApp(gate, { name: "Desk", ...fields, clientType: "public" });
  const photos = await registerApp(gate, { name: "Photos", ...fields });
  const { id, secret } = desk;
  assert.equal(secret, "");
  const redeem = async (
    app: RegisteredApp,
    headers: Readonly<Record<string, string>>,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Answer> => {
    const code = await getCode(gate, session, app);
    const grant = { grant_type: "authorization_code", code, redirect_uri: CALLBACK };
    const form = { ...grant, code_verifier: VERIFIER, ...more };
    return gate.send("/oidc/token", { form, headers });
  };
  const Authorization = basic(id, "");

  const redeemed = await redeem(desk, { Authorization });
  assert.equal(redeemed.status, 200, redeemed.body);
  const tokens = JSON.parse(redeemed.body);
  const refresh = { grant_type: "refresh_token", refresh_token: tokens.refresh_token };
  const refreshed = await gate.send("/oidc/token", { form: refresh, headers: { Authorization } });
  assert.equal(refreshed.status, 200, refreshed.body);
  assert.equal((await redeem(desk, { Authorization }, { client_id: id })).status, 200);
  const again = JSON.parse(refreshed.body).access_token;
  const revoked = await gate.send("/oidc/revoke", {
    form: { token: again },
    headers: { Authorization },
  });
  assert.equal(revoked.status, 200);
  const info = await gate.send("/oidc/userinfo", { headers: { Authorization: `Bearer ${again}` } });
  assert.equal(info.status, 401);

  const refused = async (
    app: RegisteredApp,
    header: string,
    more?: Readonly<Record<string, string>>,
  ) => {
    const { status, body } = await redeem(app, { Authorization: header }, more);
    assert.ok(status === 400 || status === 401, `${status} ${body}`);
    assert.match(JSON.parse(body).error, /^invalid_(request|client)$/);
  };
  await refused(photos, basic(photos.id, ""));
  await refused(photos, basic(photos.id, ""), { client_secret: photos.secret });
  await refused(photos, Authorization, { client_id: photos.id });
  await refused(photos, Authorization, { client_secret: photos.secret });
  await refused(desk, Authorization, { client_id: photos.id });
  await refused(desk, Authorization, { client_secret: "x" });
  await refused(desk, basic(id, "x"));
  await refused(desk, basic(id, ":"));
  await refused(desk, basic("nobody", ""));
  await refused(desk, basic("", ""));
});

test("without the code verifier, an empty secret gets a public client no tokens", async (t) => {
  const { gate, session } = await startProvider(t);
  const desk = await registerApp(gate, {
    ...{ name: "Desk", redirects: [CALLBACK], clientType: "public" },
  });
  const code = await getCode(gate, session, desk);
  const form = { grant_type: "authorization_code", code, redirect_uri: CALLBACK };
  const headers = { Authorization: basic(desk.id, "") };
  const { status, body } = await gate.send("/oidc/token", { form, headers });
  assert.deepEqual([status, JSON.parse(body).error], [400, "invalid_grant"]);
});
