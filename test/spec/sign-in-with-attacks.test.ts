import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { github, oidc } from "../../src/providers.ts";
import {
  startJsonServer,
  startProvider,
  type TestProvider,
} from "../features/sign-in-with/provider.ts";
import { runCommand } from "../support/command.ts";
import { OWNER, type RunningGate, startConfigured } from "../support/gate.ts";
import { codeShown, turnCodesOn } from "../support/one-time-codes.ts";

const PUBLIC = "https://home.example.org";

interface Scene {
  readonly gate: RunningGate;
  readonly session: string;
  readonly provider: TestProvider;
  /** Begins a sign-in, and returns what the browser keeps and brings back. */
  begin(path?: string): Promise<Begun>;
  /** Comes back from the provider. */
  finish(begun: Begun, changes?: Partial<Begun>): Promise<Answer>;
  /** Links the account `OWNER` with the person of the provider. */
  link(): Promise<Answer>;
}

type Answer = Awaited<ReturnType<RunningGate["send"]>>;

interface Begun {
  readonly cookie: string;
  readonly state: string;
  readonly callback: string;
  readonly session: string | undefined;
}

const toCookie = (answer: Answer): string =>
  answer.cookies
    .map((line) => line.split(";")[0] ?? "")
    .filter((pair) => pair.startsWith("latchkey-with="))
    .join("; ");

async function start(t: TestContext): Promise<Scene> {
  const provider = await startProvider(t);
  const settings = {
    issuer: provider.issuer,
    clientId: "latchkey",
    clientSecret: "the client secret",
  };
  const { gate, session } = await startConfigured(t, {
    publicUrl: PUBLIC,
    providers: [oidc({ name: "company", ...settings }), oidc({ name: "other", ...settings })],
  });
  const toBegun = async (answer: Answer, location: string, own?: string): Promise<Begun> => {
    const url = new URL(location);
    await fetch(`${provider.issuer}/nonce?nonce=${url.searchParams.get("nonce")}`);
    const redirect = new URL(url.searchParams.get("redirect_uri") ?? "");
    assert.equal(redirect.origin, PUBLIC);
    return {
      cookie: toCookie(answer),
      state: url.searchParams.get("state") ?? "",
      callback: redirect.pathname,
      session: own,
    };
  };
  const begin: Scene["begin"] = async (path = "/login/with/company") => {
    const answer = await gate.send(path);
    assert.equal(answer.status, 303, answer.body);
    return toBegun(answer, answer.location ?? "");
  };
  const finish: Scene["finish"] = async (begun, changes = {}) => {
    const { cookie, state, callback, session: own } = { ...begun, ...changes };
    const query = new URLSearchParams({ code: "code", state, iss: provider.issuer });
    const Cookie = [cookie, ...(own === undefined ? [] : [`session=${own}`])].join("; ");
    return gate.send(`${callback}?${query}`, { headers: { Cookie } });
  };
  return {
    ...{ gate, session, provider, begin, finish },
    async link() {
      const form = { provider: "company" };
      const answer = await gate.send("/account/identities/add", { session, form });
      const [, url = ""] = /content="0;url=([^"]+)"/.exec(answer.body) ?? [];
      return finish(await toBegun(answer, url.replaceAll("&amp;", "&"), session));
    },
  };
}

test("a browser that has begun nothing, or something else, gets no session", async (t) => {
  const { begin, finish, link } = await start(t);
  assert.equal((await link()).status, 303);
  const begun = await begin();
  const wrong: Readonly<Record<string, Partial<Begun>>> = {
    "without a cookie": { cookie: "" },
    "with the cookie of another sign-in": { cookie: (await begin()).cookie },
    "with a forged cookie": { cookie: `latchkey-with=${"A".repeat(200)}` },
    "at the path of another provider": { callback: "/login/with/other/callback" },
    "with another state": { state: "other" },
  };
  for (const [what, changes] of Object.entries(wrong)) {
    const answer = await finish(begun, changes);
    assert.equal(answer.session, undefined, what);
    assert.match(answer.location ?? "", /^\/login\?failed_with=/, what);
  }
  const last = await begin();
  assert.ok((await finish(last)).session, "the right one gets one");
});

test("an e-mail address links nothing, verified or not", async (t) => {
  const { gate, provider, begin, finish } = await start(t);
  const set = ["user", "set", OWNER.username, "--email", "ada@example.org", "--email-verified"];
  assert.equal((await runCommand(set, { env: { DATA_DIR: gate.dataDir } })).code, 0);
  for (const email_verified of [true, false]) {
    provider.behave({
      claims: { email: "ada@example.org", email_verified, preferred_username: OWNER.username },
    });
    const answer = await finish(await begin());
    assert.equal(answer.status, 403);
    assert.equal(answer.session, undefined);
  }
});

test("the subject counts, whatever else the provider changes", async (t) => {
  const { provider, begin, finish, link } = await start(t);
  await link();
  provider.behave({ claims: { email: "eve@example.org", preferred_username: "eve" } });
  assert.ok((await finish(await begin())).session);
  provider.behave({ claims: { sub: "8", email: "ada@example.org" }, userInfo: { sub: "8" } });
  assert.equal((await finish(await begin())).status, 403);
});

test("two accounts cannot have one identity, and none loses its only way in", async (t) => {
  const { gate, session, link } = await start(t);
  await link();
  const page = await gate.send("/account/sign-in", { session });
  const [, identity = ""] = /name="identity" value="([\w-]+)"/.exec(page.body) ?? [];
  assert.ok(identity);
  const removed = await gate.send("/account/identities/remove", { session, form: { identity } });
  assert.equal(removed.location, "/account/sign-in", "the account has a password");
  const again = await gate.send("/account/sign-in", { session });
  assert.doesNotMatch(again.body, /name="identity"/);
});

test("linking needs the session that began it", async (t) => {
  const { gate, session, finish, provider } = await start(t);
  const form = { provider: "company" };
  const answer = await gate.send("/account/identities/add", { session, form });
  const [, text = ""] = /content="0;url=([^"]+)"/.exec(answer.body) ?? [];
  const url = new URL(text.replaceAll("&amp;", "&"));
  await fetch(`${provider.issuer}/nonce?nonce=${url.searchParams.get("nonce")}`);
  const begun = {
    cookie: toCookie(answer),
    state: url.searchParams.get("state") ?? "",
    callback: "/login/with/company/callback",
    session: undefined,
  };
  assert.equal((await finish(begun)).location, "/login", "without the session");
  await gate.send("/account/sessions/end", { session, form: { session: "all" } });
  assert.equal((await finish({ ...begun, session })).location, "/login", "after its end");
});

test("one-time codes still count, and a factor of the provider only if it is trusted", async (t) => {
  const { gate, session, begin, finish, link, provider } = await start(t);
  await link();
  const { key, answer } = await turnCodesOn(gate, session);
  const [, recovery = ""] = /<code dir="ltr">([\d-]+)<\/code>/.exec(answer.body) ?? [];
  provider.behave({ claims: { amr: ["mfa", "otp"] } });
  const back = await finish(await begin());
  assert.deepEqual([back.location, back.session], ["/login/with/code", undefined]);
  const headers = { Cookie: toCookie(back) };
  assert.match((await gate.send("/login/with/code", { headers })).body, /name="code"/);
  const wrong = await gate.send("/login/with/code", { headers, form: { code: "000000" } });
  assert.deepEqual([wrong.location, wrong.session], ["/login/with/code?error=1", undefined]);
  const without = await gate.send("/login/with/code", { form: { code: codeShown(key, 1) } });
  assert.deepEqual([without.location, without.session], ["/login", undefined]);
  const right = await gate.send("/login/with/code", { headers, form: { code: codeShown(key, 1) } });
  assert.ok(right.session, right.location ?? "");
  const recovered = await gate.send("/login/with/code", { headers, form: { code: recovery } });
  assert.ok(recovered.session, recovered.location ?? "");
});

test("GitHub: the number of the account counts, and its token is used once", async (t) => {
  const seen: string[] = [];
  const issuer = await startJsonServer(
    t,
    {
      "/login/oauth/access_token": { access_token: "gho_secret", token_type: "bearer" },
      "/api/v3/user": { id: 42, login: "octocat", name: "Octo" },
      "/api/v3/user/emails": [{ email: "octo@example.org", primary: true, verified: true }],
    },
    seen,
  );
  const { gate, session } = await startConfigured(t, {
    publicUrl: PUBLIC,
    providers: [github({ issuer, clientId: "id", clientSecret: "secret" })],
  });
  const form = { provider: "github" };
  const answer = await gate.send("/account/identities/add", { session, form });
  const [, text = ""] = /content="0;url=([^"]+)"/.exec(answer.body) ?? [];
  const url = new URL(text.replaceAll("&amp;", "&"));
  assert.equal(url.searchParams.get("code_challenge_method"), "S256");
  const query = new URLSearchParams({ code: "c", state: url.searchParams.get("state") ?? "" });
  const headers = { Cookie: `${toCookie(answer)}; session=${session}` };
  const linked = await gate.send(`/login/with/github/callback?${query}`, { headers });
  assert.equal(linked.location, "/account/sign-in");
  assert.match((await gate.send("/account/sign-in", { session })).body, /octo@example\.org/);
  assert.deepEqual(seen, ["/login/oauth/access_token", "/api/v3/user", "/api/v3/user/emails"]);
  assert.doesNotMatch(JSON.stringify(gate.serverLog), /gho_secret/);
});

test("leads to the first provider at once, unless the page has something to say", async (t) => {
  const provider = await startProvider(t);
  const { gate, session } = await startConfigured(t, {
    publicUrl: PUBLIC,
    providers: [
      oidc({ name: "company", issuer: provider.issuer, clientId: "latchkey" }),
      oidc({ name: "other", issuer: provider.issuer, clientId: "latchkey" }),
    ],
    signInFirst: "company",
  });
  const locationOf = async (path: string, own?: string) =>
    (await gate.send(path, own === undefined ? {} : { session: own })).location;
  assert.equal(await locationOf("/login"), "/login/with/company");
  assert.equal(
    await locationOf("/login?return_to=/account/profile"),
    "/login/with/company?return_to=%2Faccount%2Fprofile",
  );
  assert.equal(await locationOf("/login?with=other"), "/login/with/other");
  for (const path of ["?with=none", "?error=1", "?failed_with=company"])
    assert.equal(await locationOf(`/login${path}`), undefined, path);
  assert.equal(await locationOf("/login", session), undefined, "somebody is signed in");
});
