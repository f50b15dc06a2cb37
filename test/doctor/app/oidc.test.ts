import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { outputOf } from "../../support/command.ts";
import type { AppFields } from "../../support/register-app.ts";
import { createOidcApp, type Mistakes } from "./oidc-app.ts";
import {
  assertNothingLeft,
  type CheckedSite,
  outcomesOf,
  problemOf,
  type Report,
  startCheckedSite,
} from "./site.ts";

type Fields = Partial<AppFields>;

interface Checked {
  readonly site: CheckedSite;
  readonly url: string;
  readonly report: Report & { readonly code: number };
}

/** Checks an app with these mistakes. The app has the ID `photos`, unless it has a recipe's. */
async function checkMistakes(
  t: TestContext,
  mistakes: Mistakes | ((url: string, issuer: string) => Mistakes),
  fields: Fields = {},
  args: readonly string[] = [],
): Promise<Checked> {
  const site = await startCheckedSite(t);
  let url = "";
  const readUrl = () => url;
  let app: ReturnType<typeof createOidcApp> | undefined;
  url = site.serve("photos", (incoming, response) => app?.(incoming, response));
  const { id, secret } = await site.addApp({
    name: "Photos",
    url,
    redirects: [`${url}/callback`],
    ...fields,
  });
  const made = typeof mistakes === "function" ? mistakes(url, site.issuer) : mistakes;
  app = createOidcApp(site, id, secret, readUrl, made);
  const report = await site.check(id, ...args);
  await assertNothingLeft(site);
  return { site, url, report };
}

const PASSED = [
  ...["address ok", "gate ok", "clock ok", "guard ok", "headers ok", "session ok"],
  ...["start ok", "request ok", "code ok", "tokens ok", "claims skipped", "app ok"],
];

for (const page of ["link", "form", "opening"] as const) {
  test(`passes an app whose sign-in begins by ${page}, and leaves no session`, async (t) => {
    const { report, site } = await checkMistakes(t, { page });
    assert.deepEqual(
      [report.code, outcomesOf(report)],
      [0, PASSED],
      JSON.stringify(report.checks, null, 1),
    );
    const entries = await site.gate.logEntries(4);
    const byCheck = entries.filter(({ author }) => author === "latchkey app check");
    assert.deepEqual(
      byCheck.map(({ type, subject, device }) => [type, subject, device]),
      [
        ["signin", "owner", "latchkey-app-check"],
        ["session_end", "owner", "latchkey-app-check"],
      ],
    );
  });
}

const FORM_POST = { response_mode: "form_post" };

test("brings the code to the app by a form, with the Lax cookies of its site", async (t) => {
  for (const stateSite of [undefined, "Lax"] as const) {
    const { report } = await checkMistakes(t, {
      extra: FORM_POST,
      ...(stateSite && { stateSite }),
    });
    assert.deepEqual(outcomesOf(report), PASSED, JSON.stringify(report.checks, null, 1));
  }
});

test("ends what an app got that would outlive the session", async (t) => {
  const mistakes = { scope: "openid offline_access", extra: { prompt: "consent" } };
  const { report } = await checkMistakes(t, mistakes);
  assert.deepEqual(outcomesOf(report), PASSED, JSON.stringify(report.checks, null, 1));
});

/** Each mistake with the step that fails, what it says, and what to change. */
const mistakes: readonly (readonly [
  string,
  Mistakes | ((url: string, issuer: string) => Mistakes),
  string,
  RegExp,
  RegExp,
  Fields?,
  (readonly string[])?,
])[] = [
  [
    "another scheme and port of the issuer",
    (_, issuer) => ({ issuer: issuer.replace("http:", "https:").replace(/\d+$/, "9") }),
    "request",
    /Photos asks https:\/\/auth\.site\.localhost:9\/oidc\/authorize instead of http:.*\(other scheme, port\)/,
    /enter the issuer in Photos to the letter: http:\/\/auth\.site\.localhost:\d+ /,
  ],
  [
    "another host of the issuer",
    { issuer: "https://login.example.org" },
    "request",
    /asks https:\/\/login\.example\.org\/oidc\/authorize .*other scheme, host, port/,
    /enter the issuer/,
  ],
  [
    "another client ID",
    { clientId: "fotos" },
    "request",
    /sends the client ID "fotos" instead of "photos"/,
    /enter the client ID photos in Photos/,
  ],
  [
    "an unknown redirect address",
    (url) => ({ redirectUri: `${url}/oauth/callback` }),
    "request",
    /the redirect address "http:\/\/photos\.site\.localhost:\d+\/oauth\/callback" is not one of Photos's addresses/,
    /^run latchkey app change photos --redirect http:\S+\/callback --redirect http:\S+\/oauth\/callback$/,
  ],
  [
    "a redirect address of another host",
    { redirectUri: "https://photos.other.example/callback" },
    "request",
    /is not one of/,
    /only if photos\.other\.example belongs to it, run latchkey app change photos .* --redirect https:\/\/photos\.other\.example\/callback$/,
  ],
  [
    "a redirect address that no app can have",
    { redirectUri: "http://photos.example/callback" },
    "request",
    /is not one of/,
    /no app can have this address/,
  ],
  [
    "a missing scope",
    { scope: "profile" },
    "request",
    /does not ask for the scope openid/,
    /enter these scopes in Photos: openid profile/,
  ],
  [
    "another response type",
    { extra: { response_type: "token" } },
    "request",
    /response type "token"/,
    /authorization code flow/,
  ],
  [
    "a plain code challenge",
    { extra: { code_challenge_method: "plain" } },
    "request",
    /PKCE with the method "plain"/,
    /S256/,
  ],
  [
    "a request that the gate refuses",
    { extra: { max_age: "-1" } },
    "code",
    /invalid_request/,
    /correct the settings of Photos/,
  ],
  [
    "a wrong secret",
    { secret: "a wrong secret" },
    "tokens",
    /the client secret is wrong/,
    /latchkey app secret photos/,
  ],
  ["no secret", { auth: "none" }, "tokens", /it sent no client secret/, /client_secret_basic/],
  [
    "an authentication that cannot be read",
    { tokens: "malformed" },
    "tokens",
    /client authentication cannot be read/,
    /client_secret_basic or client_secret_post/,
  ],
  [
    "another code verifier",
    { tokens: "pkce" },
    "tokens",
    /the code verifier of PKCE does not fit/,
    /lost or changed it/,
  ],
  [
    "a code that is used twice",
    { tokens: "twice" },
    "tokens",
    /it sent the code twice/,
    /what repeats the request/,
  ],
  [
    "another redirect address with the code",
    { tokens: "other-redirect" },
    "tokens",
    /another redirect address with the code/,
    /set the address of Photos/,
  ],
  [
    "a server that does not reach the gate",
    { tokens: "unreachable" },
    "tokens",
    /no request for tokens has arrived at the gate, and http:\S+\/callback returns 500/,
    /cannot reach the gate: .*curl/,
  ],
  [
    "a server that cannot begin",
    { discovery: "broken" },
    "start",
    /Photos fails where its sign-in begins: http:\S+\/login returns 500/,
    /cannot reach the gate, or has another issuer/,
  ],
  ["an app that forgets", { entrance: "forgets" }, "app", /still shows the link/, /to the letter/],
  ["an app that fails", { entrance: "fails" }, "app", /\/callback returns 500/, /to the letter/],
  ["an app that reports an error", { entrance: "error" }, "app", /reports an error/, /its clock/],
  [
    "an app in a circle",
    { entrance: "circle" },
    "app",
    /leads to http:\S+\/oidc\/authorize/,
    /issuer/,
  ],
  [
    "an app that forgets, and begins again by itself",
    { entrance: "forgets", page: "opening" },
    "app",
    /leads to http:\S+\/oidc\/authorize|begins the sign-in again/,
    /to the letter/,
  ],
  [
    "a wrong path to begin with",
    { page: "nothing" },
    "start",
    /\/nowhere does not begin a sign-in.*returns 200/,
    /--start/,
    {},
    ["--start", "/nowhere"],
  ],
  [
    "a claim that the account lacks",
    { scope: "openid email profile" },
    "claims",
    /Immich requires email, and owner has none/,
    /preferred_username/,
    {},
    ["--recipe", "immich"],
  ],
  [
    "a scope that the claims of the recipe need",
    { scope: "openid profile" },
    "request",
    /does not ask for the scope email/,
    /openid email profile/,
    {},
    ["--recipe", "immich"],
  ],
];

for (const [name, mistake, step, found, remedy, fields, args] of mistakes) {
  test(`reports ${name}`, async (t) => {
    const { report } = await checkMistakes(t, mistake, fields, args);
    const problem = problemOf(report);
    assert.equal(problem.check, step, JSON.stringify(report.checks, null, 1));
    assert.match(problem.found, found);
    assert.match(problem.remedy, remedy);
    assert.equal(report.code, 1);
  });
}

test("tells a verified address from one that is not, where the app requires it", async (t) => {
  const recipe = ["--recipe", "directus", "--start", "/login"];
  const scope = "openid email profile";
  const { site, report } = await checkMistakes(t, { scope }, {}, recipe);
  assert.match(problemOf(report).found, /Directus requires email and email_verified, and owner/);
  const setAddress = (...flags: readonly string[]): Promise<string> => {
    const set = ["user", "set", "owner", "--email", "owner@example.org", ...flags];
    return outputOf(set, { env: site.env });
  };
  await setAddress();
  const unverified = await site.check("photos", ...recipe);
  assert.match(problemOf(unverified).found, /Directus requires email_verified, and owner has none/);
  await setAddress("--email-verified");
  const { checks } = await site.check("photos", ...recipe);
  const claims = checks.find(({ check }) => check === "claims");
  assert.deepEqual(
    [claims?.outcome, claims?.found],
    ["ok", "owner has sub, email, email_verified"],
    JSON.stringify(checks, null, 1),
  );
});

/** What only a person, a script or another program can do is told, and is no failure. */
const skips: readonly (readonly [string, Mistakes, string, RegExp, RegExp, Fields?])[] = [
  ["a page without a link", { page: "nothing" }, "start", /no link of/, /--start \/PATH/],
  [
    "the question what the app may learn",
    {},
    "code",
    /does not agree for a person/,
    /agree once in a browser as owner.*--no-consent/,
    { consent: "ask" },
  ],
  ["a new sign-in each time", { extra: { prompt: "login" } }, "code", /new sign-in/, /browser/],
  ["a script that takes the code", { callback: "script" }, "tokens", /a script/, /browser/],
];

for (const [name, mistake, step, found, remedy, fields] of skips) {
  test(`stops with a hint at ${name}`, async (t) => {
    const { report } = await checkMistakes(t, mistake, fields);
    assert.equal(report.code, 0, JSON.stringify(report.checks, null, 1));
    const skip = report.checks.find(({ outcome, remedy: how }) => outcome === "skipped" && how);
    assert.equal(skip?.check, step);
    assert.match(skip.found, found);
    assert.match(skip.remedy ?? "", remedy);
  });
}

test("begins at the path that is named, though the page shows no link", async (t) => {
  const { report } = await checkMistakes(t, { page: "script" }, {}, ["--start", "/login"]);
  assert.equal(report.code, 0, JSON.stringify(report.checks, null, 1));
  const [app] = report.checks.filter(({ check }) => check === "app");
  assert.equal(app?.outcome, "skipped");
  assert.match(app.found, /has got tokens; its page is made by scripts/);
});

test("says that a person may not open the app, and asks nothing of the app then", async (t) => {
  const { report } = await checkMistakes(t, {}, { groups: ["family"] });
  const { check, found, remedy } = problemOf(report);
  assert.equal(check, "session");
  assert.match(found, /owner may not open Photos: the account is in none of its groups \(family\)/);
  assert.match(remedy, /latchkey user groups/);
  assert.ok(report.checks.slice(6).every(({ outcome }) => outcome === "skipped"));
});

test("says that the account lacks the second factor of the app", async (t) => {
  const { report } = await checkMistakes(t, {}, { factors: 2 });
  assert.match(problemOf(report).found, /requires a second factor, and the account has none/);
});
