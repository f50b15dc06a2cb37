import { writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { icons } from "../../src/cli/demo/icons.ts";
import { toIdentityId } from "../../src/db/records.ts";
import type { Provider } from "../../src/identity/providers.ts";
import {
  apple,
  github,
  google,
  microsoft,
  type OidcProviderOptions,
  oidc,
} from "../../src/providers.ts";
import { startProvider } from "../features/sign-in-with/provider.ts";
import { addApps as addAppsOf } from "../support/add-app.ts";
import type { Visiting } from "../support/browser.ts";
import { execute } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { changeForm, OWNER } from "../support/gate.ts";
import { linkPath } from "../support/link.ts";
import { type MailServer, readLink, startMailServer } from "../support/mail-server.ts";
import { inThePast } from "../support/mint.ts";
import { begunIn, codeShown } from "../support/one-time-codes.ts";
import {
  type AtGate,
  atGate,
  atHome,
  carry,
  fill,
  leave,
  sendButton,
  submit,
  submitUnchecked,
  unfold,
} from "./forms.ts";

/** A page in a state that users see, and how to open it. */
export interface State {
  readonly name: string;
  open(t: TestContext, visiting: Visiting): Promise<Page>;
}

type Steps = (at: AtGate) => Promise<unknown>;

const ERRORS: Visiting = { statuses: [403, 404, 405, 421, 422, 500] };

/** On a gate without an account that requires a token and offers a domain. */
const unconfigured = (name: string, steps: Steps): State => ({
  name,
  async open(t, visiting) {
    const settings = { domainSetupCommand: process.execPath };
    const at = await atGate(t, { ...ERRORS, ...visiting }, settings);
    await writeFile(at.gate.setupTokenFile, "the token");
    await steps(at);
    return at.page;
  },
});

/** On a gate with an account, signed in on the page about the sign-in. */
const signedIn = (
  name: string,
  steps: Steps,
  settings: Parameters<typeof atHome>[2] = {},
): State => ({
  name,
  async open(t, visiting) {
    const at = await atHome(t, { ...ERRORS, ...visiting }, settings);
    await steps(at);
    return at.page;
  },
});

/** Like `signedIn`, after signing out. */
const signedOut = (
  name: string,
  steps: Steps,
  settings: Parameters<typeof atHome>[2] = {},
): State =>
  signedIn(
    name,
    async (at) => {
      await to("/account/profile")(at);
      await submit(at.page, "/logout");
      await steps(at);
    },
    settings,
  );

const to =
  (path: string): Steps =>
  ({ page, gate }) =>
    page.goto(`${gate.url}${path}`);

const rejected =
  (fields: Readonly<Record<string, string>>): Steps =>
  async ({ page, gate }) => {
    await page.goto(`${gate.url}/setup?token=the%20token`);
    await submitUnchecked(page, "/setup", { domain: "home.example.org", ...fields });
  };

const BEGIN = "/account/codes/begin";
const CONFIRM = "/account/codes/confirm";

const codesBegun: Steps = ({ page }) => submit(page, BEGIN);

async function codesOn(at: AtGate): Promise<string> {
  await codesBegun(at);
  const { key } = begunIn(await at.page.content());
  await submit(at.page, CONFIRM, { code: codeShown(key) });
  return key;
}

/** On the sign-in page of a browser whose session is gone. */
const loggedOff =
  (path = "/login"): Steps =>
  async (at) => {
    await at.page.context().clearCookies();
    await to(path)(at);
  };

/** Signed in under another name. */
const named =
  (name: string, path: string): Steps =>
  async (at) => {
    const quoted = name.replaceAll("'", "''");
    execute(at.gate.databaseFile, `UPDATE latchkey_users SET username = '${quoted}'`);
    // Read again by the gate.
    await eventually(async () => {
      await to(path)(at);
      return (await at.page.locator("main").innerText()).includes(name) || undefined;
    });
    await unfold(at.page);
  };

/** That many passkeys and other sessions, at a host that can have passkeys. */
async function manyRows({ page, gate }: AtGate, count: number): Promise<void> {
  const numbers = `WITH RECURSIVE numbers (n) AS (VALUES (1) UNION SELECT n + 1 FROM numbers WHERE n < ${count})`;
  const device =
    "CASE n % 3 WHEN 0 THEN 'Firefox on Linux' WHEN 1 THEN 'Safari on iPhone' ELSE '' END";
  execute(
    gate.databaseFile,
    `${numbers} INSERT INTO latchkey_passkeys
       SELECT n, id, 'A-name-without-spaces-of-many-characters-' || n, '', 0, 1770000000000, 1772000000000 FROM latchkey_users, numbers WHERE n < 21;
     ${numbers} INSERT INTO latchkey_sessions (id, user_id, created_at, used_at, expires_at, address, device)
       SELECT n, id, 0, 1772000000000, 9000000000000, '2001:db8::' || n, ${device} FROM latchkey_users, numbers`,
  );
  const local = gate.url.replace("127.0.0.1", "localhost");
  await page.goto(`${local}/login`);
  await submit(page, "/login", OWNER);
}

/** A page of the account on the host that the browser is on. */
const toPage =
  (path: string): Steps =>
  ({ page }) =>
    page.goto(new URL(path, page.url()).href);

const PEOPLE = "/account/people";

function addPeople({ gate }: AtGate): void {
  const insert = "INSERT INTO latchkey_users (id, username, password_hash, groups, ends_at) VALUES";
  execute(gate.databaseFile, `${insert} ('2', 'ben', 'x', ',family,photos,', NULL)`);
  const name = "clara.with.a.rather.long.username@example.org";
  execute(gate.databaseFile, `${insert} ('3', '${name}', 'x', NULL, NULL)`);
  execute(gate.databaseFile, `${insert} ('4', 'cat sitter', '$guest$', ',camera,', 4e12)`);
}

/** Gives each account that is not a guest's a name and an address, some of them confirmed. */
function addProfiles({ gate }: AtGate): void {
  const name =
    "CASE id WHEN '2' THEN 'عبد الرحمن بن محمد' WHEN '3' THEN 'Klara von und zu Hohenlohe-Öhringen' ELSE 'Jürgen Müller-Lüdenscheidt' END";
  const email = "'a.rather.long.name.of.a.person@mail.example.org'";
  const verified = `CASE id WHEN '2' THEN ${email} END`;
  execute(
    gate.databaseFile,
    `INSERT INTO latchkey_profiles (id, user_id, name, email, verified_email)
     SELECT id, id, ${name}, ${email}, ${verified} FROM latchkey_users WHERE ends_at IS NULL`,
  );
}

/** Adds so many people that they need several pages. One has signed in, and one has ended. */
function manyPeople({ gate }: AtGate): void {
  const insert = "INSERT INTO latchkey_users (id, username, password_hash, groups, ends_at)";
  execute(
    gate.databaseFile,
    `WITH RECURSIVE numbers (n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM numbers WHERE n < 140)
     ${insert} SELECT n, 'person ' || n, 'x', ',family,', NULL FROM numbers`,
  );
  execute(gate.databaseFile, "UPDATE latchkey_users SET ends_at = 1 WHERE id = '101'");
  const log = "INSERT INTO latchkey_log (at, type, summary, author, user_id) VALUES";
  execute(gate.databaseFile, `${log} (1772000000000, 'signin', '', 'system', '102')`);
}

/** Makes an open link of each kind. */
async function addLinks({ gate, page }: AtGate): Promise<void> {
  const [{ value: session = "" } = {}] = await page.context().cookies();
  for (const [action, form] of [
    ["invite", { username: "nora", groups: "family, photos" }],
    ["invite", { groups: "family" }],
    ["invite", { username: "plumber", groups: "camera", guest: "1", until: "2090-01-31" }],
    ["reset", { user: "2" }],
  ] as const) {
    await gate.send(`${PEOPLE}/${action}`, { form, session });
  }
}

/** Adds entries of the audit log of many kinds, two of which can mean an attack. */
async function addActivity(at: AtGate): Promise<void> {
  addPeople(at);
  await addLinks(at);
  await at.gate.logEntries(5);
  const columns = "at, type, summary, author, user_id, subject, address, device";
  for (const [type, author, user, subject] of [
    ["signin", "system", "2", "ben"],
    ["code_rejected", "system", "2", "ben"],
    ["signin_rate_limited", "system", "", ""],
    ["app_signin", "system", "2", "photos"],
    ["user_groups", "admin owner", "3", "clara"],
    ["passkey_add", "system", "3", "clara"],
  ] as const) {
    const values = [type, "", author, user, subject, "192.0.2.7", "Firefox on Linux"];
    const listed = values.map((value) => (value === "" ? "NULL" : `'${value}'`));
    execute(
      at.gate.databaseFile,
      `INSERT INTO latchkey_log (${columns}) VALUES (1772000000000, ${listed.join().replace("NULL", "''")})`,
    );
  }
}

const APPS = "/account/apps";
const CALLBACK = "https://photos.example.org/a/long/path/to/the/callback-of-the-app";

/** Adds apps in two sections, one of which requires a second factor. */
async function addApps({ gate, page }: AtGate): Promise<void> {
  const [{ value: session = "" } = {}] = await page.context().cookies();
  for (const [name, section, factor] of [
    ["Photos", "Family", ""],
    ["Films", "Family", ""],
    ["Music with a rather long name", "Family", ""],
    ["Recipes", "Family", ""],
    ["Git", "", "1"],
    ["Wiki", "", ""],
  ] as const) {
    const id = name.split(" ")[0]?.toLowerCase() ?? "";
    const form = { name, id, section, factor, url: `https://${id}.example.org` };
    await gate.send(`${APPS}/add`, { form, session });
  }
}

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="15" fill="#d9772b"/><rect x="14" y="17" width="36" height="30" rx="5" fill="none" stroke="#fff" stroke-width="3.5"/></svg>';

const CLIENT = { redirects: CALLBACK, clientType: "public", consent: 1 } as const;

/** Adds an app with an icon and one without, as another process does. */
async function addIcons({ gate }: AtGate): Promise<void> {
  const app = (id: string, name: string) => ({
    ...{ id, name, url: `https://${id}.example.org`, groups: ["admins"], ...CLIENT },
  });
  await addAppsOf(gate, app("photos", "Photos"), app("films", "Films and television"));
  const body = Buffer.from(ICON).toString("base64");
  execute(
    gate.databaseFile,
    `INSERT INTO latchkey_app_icons (id, type, body) VALUES ('photos/light', 'image/svg+xml', '${body}')`,
  );
}

/** A gate at a domain, as the settings of other hosts and of OpenID Connect need it. */
const DOMAIN = { cookieDomain: "example.org", publicUrl: "https://auth.example.org" } as const;
const TO_PHOTOS = "return_to=https%3A%2F%2Fphotos.example.org%2F";

/** At a sign-in to an app by OpenID Connect, with these parameters. */
const toAuthorize =
  (parameters: Readonly<Record<string, string>> = {}): Steps =>
  async (at) => {
    await addIcons(at);
    const query = new URLSearchParams({
      ...{ client_id: "photos", response_type: "code", scope: "openid groups", state: "state" },
      ...{ redirect_uri: CALLBACK, code_challenge: "a".repeat(43), code_challenge_method: "S256" },
      ...parameters,
    });
    await to(`/oidc/authorize?${query}`)(at);
  };

/** At the page for the code of a television, whose form addresses the public URL. */
async function toDevice(at: AtGate): Promise<void> {
  const { gate, page } = at;
  await addIcons(at);
  const [{ value: session = "" } = {}] = await page.context().cookies();
  await carry({ ...at, url: DOMAIN.publicUrl }, session);
  await page.route(`${DOMAIN.publicUrl}/**`, async (route) => {
    const { pathname, search } = new URL(route.request().url());
    const cookies = await page.context().cookies(DOMAIN.publicUrl);
    const headers = {
      ...route.request().headers(),
      cookie: cookies.map(({ name, value }) => `${name}=${value}`).join("; "),
    };
    const url = `${gate.url}${pathname}${search}`;
    await route.fulfill({ response: await route.fetch({ url, headers, maxRedirects: 0 }) });
  });
  const form = { client_id: "films", scope: "openid" };
  const { body } = await gate.send("/oidc/device", { form });
  const { user_code } = JSON.parse(body);
  await page.goto(`${DOMAIN.publicUrl}/login/device?user_code=${user_code}`);
  await page.locator('[name="confirm"]').waitFor();
}

/** Adds many apps with icons, sections and names of all kinds, at a host that can have passkeys. */
async function manyApps(at: AtGate): Promise<void> {
  const names = [
    "عبد الرحمن بن محمد الأندلسي",
    "欧阳娜娜的妹妹的朋友司马相如",
    "An-app-without-spaces-of-many-characters-and-some-more",
    "Feeds",
    "Graphs",
    "Paperless",
  ];
  const insert =
    "INSERT INTO latchkey_apps (id, name, url, section, factors, created_at, client_type, groups) VALUES";
  for (const [index, name] of names.entries()) {
    const url = `https://an-app-with-a-long-host-${index}.example.org/`;
    execute(
      at.gate.databaseFile,
      `${insert} ('more-${index}', '${name}', '${url}', 'Tools', ${1 + (index % 2)}, 0, NULL, ',family,')`,
    );
  }
  for (const [id, icon] of [
    ["photos", icons.photos],
    ["films", icons.plans],
    ["wiki", icons.notes],
  ] as const) {
    const body = Buffer.from(icon).toString("base64");
    execute(
      at.gate.databaseFile,
      `INSERT INTO latchkey_app_icons (id, type, body) VALUES ('${id}/light', 'image/svg+xml', '${body}')`,
    );
  }
  execute(at.gate.databaseFile, "UPDATE latchkey_users SET groups = ',admins,family,'");
  await addApps(at);
  await at.page.goto(`${at.gate.url.replace("127.0.0.1", "localhost")}/login`);
  await submit(at.page, "/login", OWNER);
}

/** On the page of an app, with sign-outs of all kinds, people who opened it, and who may not. */
async function atApp(at: AtGate): Promise<void> {
  const [{ value: session = "" } = {}] = await at.page.context().cookies();
  const fields = {
    url: "https://photos.example.org",
    groups: "family,guests",
    redirects: CALLBACK,
  };
  await at.gate.send(`${APPS}/add`, { form: { name: "Photos", ...fields }, session });
  const columns =
    "id, app_id, user_id, sid, url, ended_at, due_at, tries, acknowledged_at, problem";
  for (const [id, due, acknowledged, problem] of [
    ["a", "NULL", "1772000000000", "NULL"],
    ["b", "9e12", "NULL", "'the app answered 503'"],
    ["c", "NULL", "NULL", "'the app answered 404'"],
  ] as const) {
    execute(
      at.gate.databaseFile,
      `INSERT INTO latchkey_sign_outs (${columns}, expires_at) SELECT '${id}', 'photos', id, 's', 'https://a.test', 1772000000000, ${due}, 1, ${acknowledged}, ${problem}, 9e12 FROM latchkey_users`,
    );
  }
  execute(
    at.gate.databaseFile,
    "INSERT INTO latchkey_consents (id, user_id, app_id, scopes, created_at) SELECT 'photos/' || id, id, 'photos', 'openid', 1772000000000 FROM latchkey_users",
  );
  const now = Date.now();
  addPeople(at);
  const day = Math.floor(now / 86_400_000);
  const days = [6, 5, 4, 3, 2, 1, 0].map((ago) => `${day - ago}:${(ago * 5) % 9}`).join();
  const uses = "id, user_id, app_id, opened_at, device, days, refused_at, refused_uri";
  for (const row of [
    `'photos/2', '2', 'photos', ${now - 2e5}, 'Safari on iPhone', '${days}', ${now - 1e5}, 'https://photos.example.org/user-settings'`,
    `'photos/4', '4', 'photos', ${now - 9e7}, 'Chrome on Android', '${day - 1}:1', NULL, NULL`,
    `'photos/3', '3', 'photos', NULL, NULL, NULL, ${now - 2e8}, NULL`,
  ]) {
    execute(at.gate.databaseFile, `INSERT INTO latchkey_app_uses (${uses}) VALUES (${row})`);
  }
  await to(`${APPS}/photos`)(at);
}

/** The page of a new one-time link. */
const toLink =
  (...args: readonly string[]): Steps =>
  async ({ page, gate }) =>
    page.goto(`${gate.url}${await linkPath(gate, ...args)}`);

/** A form on a page of another site. */
async function crossSite({ page, gate }: AtGate): Promise<void> {
  const form = `<form method="post" action="${gate.url}/login"><button>Send</button></form>`;
  await page.goto(`data:text/html,${encodeURIComponent(form)}`);
  await leave(page, () => page.getByRole("button").click());
}

/** A mail server that is never reached, providers, and people who register with them. */
const REACHABLE: Parameters<typeof atHome>[2] = {
  ...{ smtpUrl: "smtp://127.0.0.1:9", mailFrom: "home@example.org" },
  ...{ publicUrl: "https://home.example.org", signUp: "approval", signUpDomains: ["example.org"] },
  providers: [
    google({ clientId: "id" }),
    oidc({
      name: "company",
      label: "Musterfirma & Söhne",
      issuer: "https://a.test",
      clientId: "b",
    }),
  ],
};

/** Each mark that a button can have, and a long name in each direction. */
const EVERY_PROVIDER: readonly Provider[] = [
  google({ clientId: "id" }),
  microsoft({ tenant: "example.org", clientId: "id" }),
  apple({ clientId: "id" }),
  github({ clientId: "id" }),
  oidc({
    name: "company",
    label: "Österreichische Donaudampfschifffahrtsgesellschaft",
    issuer: "https://a.test",
    clientId: "id",
  }),
  oidc({ name: "school", label: "جامعة القاهرة", issuer: "https://b.test", clientId: "id" }),
];

/** Like `signedIn`, with a mail server that takes the messages. */
const withMail = (
  name: string,
  steps: (at: AtGate & { readonly mail: MailServer }) => Promise<unknown>,
): State => ({
  name,
  async open(t, visiting) {
    const mail = await startMailServer(t);
    const settings = { ...REACHABLE, smtpUrl: mail.url };
    const at = await atHome(t, { ...ERRORS, ...visiting }, settings);
    await steps({ ...at, mail });
    return at.page;
  },
});

/** Fills in a field of a form, and sends the form with the Enter key. */
async function enter({ page }: AtGate, field: string, text: string): Promise<void> {
  await page.locator(`#${field}`).fill(text);
  await leave(page, () => page.locator(`#${field}`).press("Enter"));
}

/** Opens the link of a message, which has the public URL, at the gate. */
async function openLink({ gate, page }: AtGate, mail: MailServer, count: number): Promise<void> {
  const last = (await mail.waitFor(count)).at(-1);
  if (last === undefined) throw new Error("no message has arrived");
  await page.goto(gate.url + new URL(readLink(last)).pathname);
}

/** Gives the account of the owner a confirmed address. */
const confirmAddress = ({ gate }: AtGate): void =>
  execute(
    gate.databaseFile,
    `INSERT INTO latchkey_profiles (id, user_id, email, verified_email)
     SELECT id, id, 'ada@example.org', 'ada@example.org' FROM latchkey_users`,
  );

/** On a gate with a provider that signs in everybody, as the person with the subject 7. */
const withProvider = (
  name: string,
  steps: (at: AtGate & { readonly issuer: string }) => Promise<unknown>,
  options: Partial<OidcProviderOptions> = {},
  settings: Parameters<typeof atHome>[2] = {},
): State => ({
  name,
  async open(t, visiting) {
    const { issuer, behave } = await startProvider(t);
    const company = { name: "company", label: "Musterfirma & Söhne", issuer, clientId: "latchkey" };
    const provider = oidc({ ...company, clientSecret: "the client secret", ...options });
    const reachable = { publicUrl: "https://home.example.org", providers: [provider] };
    const at = await atHome(t, { ...ERRORS, ...visiting }, { ...reachable, ...settings });
    // The provider sends the browser back to the gate, which has no public name here.
    const sendBack = async (url: URL, response: ServerResponse): Promise<void> => {
      await fetch(`${issuer}/nonce${url.search}`);
      const { pathname } = new URL(url.searchParams.get("redirect_uri") ?? "");
      const state = url.searchParams.get("state") ?? "";
      const query = new URLSearchParams({ code: "code", iss: issuer, state });
      response.writeHead(303, { Location: `${at.gate.url}${pathname}?${query}` }).end();
    };
    const answer = {
      "/authorize": ({ url = "" }: IncomingMessage, response: ServerResponse): void => {
        sendBack(new URL(url, issuer), response).catch((error) => response.destroy(error));
      },
    };
    behave({ answer });
    await steps({ ...at, issuer });
    return at.page;
  },
});

/** Links an account, by default the owner's, with the person whom the provider signs in. */
const linkWithProvider = (
  { gate, issuer }: AtGate & { readonly issuer: string },
  username: string = OWNER.username,
): void =>
  execute(
    gate.databaseFile,
    `INSERT INTO latchkey_identities (id, user_id, provider, issuer, subject, label, added_at)
     SELECT '${toIdentityId(issuer, "7")}', id, 'company', '${issuer}', '7', 'ada@example.org', 0
     FROM latchkey_users WHERE username = '${username}'`,
  );

/** Signed in with the provider, on the step for the one-time code. */
async function toCodeStep(at: AtGate & { readonly issuer: string }): Promise<void> {
  linkWithProvider(at);
  await codesOn(at);
  await loggedOff("/login/with/company")(at);
}

/** Links the account with two others elsewhere. */
function addIdentities({ gate }: AtGate): void {
  const email = "'a.rather.long.name.of.a.person@mail.example.org'";
  execute(
    gate.databaseFile,
    `INSERT INTO latchkey_identities (id, user_id, provider, issuer, subject, label, added_at, used_at)
     SELECT 'a', id, 'google', 'https://a.test', '1', ${email}, 1770000000000, 1772000000000
     FROM latchkey_users
     UNION SELECT 'b', id, 'company', 'https://b.test', '2', 'عبد الرحمن', 1770000000000, NULL
     FROM latchkey_users`,
  );
}

/** Adds people who wait for an account. */
function addSignUps({ gate }: AtGate): void {
  const insert =
    "INSERT INTO latchkey_sign_ups (id, asker, username, password_hash, facts, created_at, expires_at) VALUES";
  const facts = JSON.stringify({
    ...{ email: "a.rather.long.name.of.a.person@mail.example.org", emailIs: "verified" },
  });
  execute(
    gate.databaseFile,
    `${insert} ('1', '1', 'bob', '$unset$', '${facts}', 1772000000000, 9e12)`,
  );
  const name = "clara.with.a.rather.long.username";
  execute(
    gate.databaseFile,
    `${insert} ('2', '2', '${name}', '$unset$', '{}', 1772000001000, 9e12)`,
  );
}

export const states: readonly State[] = [
  signedOut("a forgotten password", to("/login/forgot"), REACHABLE),
  signedOut("too many forgotten passwords", to("/login/forgot?error=1"), REACHABLE),
  signedOut("asking for an account", to("/login/sign-up"), REACHABLE),
  signedOut(
    "asking for an account with an address of others",
    async (at) => {
      await to("/login/sign-up")(at);
      await at.page.locator("#email").fill("bob@other.test");
      await leave(at.page, () => at.page.locator("#email").press("Enter"));
    },
    REACHABLE,
  ),
  signedOut("sign-in with other accounts", to("/login"), REACHABLE),
  signedOut("a failed sign-in with another account", to("/login?failed_with=company"), REACHABLE),
  signedIn(
    "other accounts that are linked",
    async (at) => {
      addIdentities(at);
      await to("/account/sign-in")(at);
    },
    REACHABLE,
  ),
  signedIn(
    "profile with an address to confirm",
    async (at) => {
      addProfiles(at);
      await to("/account/profile")(at);
    },
    REACHABLE,
  ),
  signedIn(
    "people who wait for an account",
    async (at) => {
      addSignUps(at);
      await to(PEOPLE)(at);
    },
    REACHABLE,
  ),
  signedOut("sign-in with every provider", to("/login"), {
    publicUrl: "https://home.example.org",
    providers: EVERY_PROVIDER,
  }),
  signedIn("every provider to link", to("/account/sign-in"), {
    publicUrl: "https://home.example.org",
    providers: EVERY_PROVIDER,
  }),
  signedOut(
    "an invitation with every provider, one of which has failed",
    async (at) => {
      const path = await linkPath(at.gate, "invite", "--username", "nora");
      await to(`${path}?failed_with=company`)(at);
    },
    { publicUrl: "https://home.example.org", providers: EVERY_PROVIDER },
  ),
  signedIn(
    "an account elsewhere to unlink, after a failure",
    async (at) => {
      addIdentities(at);
      await to("/account/sign-in?failed_with=company")(at);
      await at.page.locator("[aria-labelledby=identities] .danger, li .danger").first().click();
    },
    REACHABLE,
  ),
  withProvider("an account elsewhere that nobody is linked with", loggedOff("/login/with/company")),
  withProvider("an account elsewhere without the group", loggedOff("/login/with/company"), {
    groupsClaim: "groups",
    requireGroup: "family",
  }),
  withProvider(
    "registering with a refused domain",
    loggedOff("/login/with/company"),
    {},
    { signUp: "open", signUpDomains: ["example.net"] },
  ),
  withProvider(
    "waiting for an account",
    loggedOff("/login/with/company"),
    {},
    { signUp: "approval" },
  ),
  withProvider("a code after a sign-in with another account", toCodeStep),
  withProvider("a wrong code after a sign-in with another account", async (at) => {
    await toCodeStep(at);
    await at.page.locator("#code").fill("000");
    await leave(at.page, () => at.page.locator("main [type=submit]").click());
  }),
  withProvider("linking an account elsewhere that another account has", async (at) => {
    addPeople(at);
    linkWithProvider(at, "ben");
    await to("/account/sign-in")(at);
    // A page in between leads on to the provider.
    await sendButton(at.page, "/account/identities/add").click();
    await at.page.waitForURL("**/login/with/company/callback?**");
  }),
  withProvider("unlinking the only way in", async (at) => {
    linkWithProvider(at);
    execute(at.gate.databaseFile, "UPDATE latchkey_users SET password_hash = '$unset$'");
    await to("/account/sign-in")(at);
    await unfold(at.page);
    await leave(at.page, () => sendButton(at.page, "/account/identities/remove").click());
  }),
  signedOut("asking for an account too often", to("/login/sign-up?error=1"), REACHABLE),
  withMail("a message about an account on its way", async (at) => {
    await loggedOff("/login/sign-up")(at);
    await enter(at, "email", "bob@example.org");
  }),
  withMail("registering with the link of a message", async (at) => {
    await loggedOff("/login/sign-up")(at);
    await enter(at, "email", "bob@example.org");
    await openLink(at, at.mail, 1);
  }),
  withMail("a message for a new password on its way", async (at) => {
    await loggedOff("/login/forgot")(at);
    await enter(at, "login", "ada");
  }),
  withMail("an address that waits for its confirmation", async (at) => {
    await to("/account/profile")(at);
    await enter(at, "email", "a.rather.long.name.of.a.person@mail.example.org");
  }),
  withMail("confirming an address", async (at) => {
    await to("/account/profile")(at);
    await enter(at, "email", "a.rather.long.name.of.a.person@mail.example.org");
    await openLink(at, at.mail, 1);
  }),
  withMail("ending all sessions with the link of a notice", async (at) => {
    confirmAddress(at);
    await to("/account/keys")(at);
    await at.page.locator("#key_name").fill("Feed reader");
    await leave(at.page, () => sendButton(at.page, "/account/keys/add").click());
    await openLink(at, at.mail, 1);
  }),
  withMail("all sessions ended with the link of a notice", async (at) => {
    confirmAddress(at);
    await to("/account/keys")(at);
    await at.page.locator("#key_name").fill("Feed reader");
    await leave(at.page, () => sendButton(at.page, "/account/keys/add").click());
    await openLink(at, at.mail, 1);
    await leave(at.page, () => at.page.locator("main [type=submit]").click());
  }),
  withMail("an invitation sent by mail", async (at) => {
    await to("/account/links")(at);
    await at.page.locator("#email").fill("bob@example.org");
    await leave(at.page, () => at.page.locator("#invite [type=submit]").click());
  }),
  withMail("an invitation to a wrong address", async (at) => {
    await to("/account/links")(at);
    await at.page.locator("#email").fill("bob@a");
    await leave(at.page, () => at.page.locator("#invite [type=submit]").click());
  }),
  signedIn(
    "a person let in",
    async (at) => {
      addSignUps(at);
      await to(PEOPLE)(at);
      await leave(at.page, () => sendButton(at.page, `${PEOPLE}/approve`).click());
    },
    REACHABLE,
  ),
  signedIn(
    "a person who cannot be let in, since the username is taken",
    async (at) => {
      addPeople(at);
      addSignUps(at);
      execute(at.gate.databaseFile, "UPDATE latchkey_sign_ups SET username = 'ben' WHERE id = '1'");
      await to(PEOPLE)(at);
      await leave(at.page, () => sendButton(at.page, `${PEOPLE}/approve`).click());
    },
    REACHABLE,
  ),
  unconfigured("setup", to("/setup")),
  unconfigured("empty setup rejected", rejected({})),
  unconfigured(
    "setup with different passwords rejected",
    rejected({ username: "a", password: "b", confirm: "c" }),
  ),
  signedOut("sign-in", to("/login")),
  signedOut("failed sign-in", to("/login?error=1")),
  signedOut("first failed sign-in", async (at) => {
    await to("/login")(at);
    await submit(at.page, "/login", { ...OWNER, password: "wrong" });
  }),
  signedOut(
    "sign-in to an app",
    async (at) => {
      await addIcons(at);
      await to(`/login?${TO_PHOTOS}`)(at);
    },
    DOMAIN,
  ),
  signedOut(
    "sign-in to an app without an icon",
    async (at) => {
      await addIcons(at);
      await to("/login?return_to=https%3A%2F%2Ffilms.example.org%2F")(at);
    },
    DOMAIN,
  ),
  signedIn(
    "sign-in to an app with the passkey first",
    async (at) => {
      await addIcons(at);
      execute(
        at.gate.databaseFile,
        "INSERT INTO latchkey_passkeys SELECT 'AQ', id, 'Phone', '', 0, 0, NULL FROM latchkey_users",
      );
      await loggedOff(`/login?${TO_PHOTOS}`)(at);
    },
    DOMAIN,
  ),
  signedIn(
    "second step of a sign-in to an app",
    async (at) => {
      await addIcons(at);
      await codesOn(at);
      await loggedOff(`/login?${TO_PHOTOS}`)(at);
      await fill(at.page, OWNER);
      await sendButton(at.page, "/login").click();
      await at.page.keyboard.type("4821");
    },
    DOMAIN,
  ),
  signedIn("second step with a recovery code", async (at) => {
    await codesOn(at);
    await loggedOff()(at);
    await fill(at.page, OWNER);
    await sendButton(at.page, "/login").click();
    await at.page.locator("button[data-other]").click();
  }),
  signedIn(
    "one more step",
    async (at) => {
      await addIcons(at);
      await to(`/login?factor=2&${TO_PHOTOS}`)(at);
    },
    DOMAIN,
  ),
  signedIn("confirming with a code", async (at) => {
    await codesOn(at);
    await carry(at, inThePast((await at.page.context().cookies())[0]?.value ?? ""));
    await to("/login?again=1&return_to=%2Faccount%2Fkeys")(at);
  }),
  signedIn(
    "welcome back to an app",
    async (at) => {
      await addIcons(at);
      await to(`/login?${TO_PHOTOS}`)(at);
    },
    DOMAIN,
  ),
  signedIn(
    "a handoff that failed",
    to(
      `/login?handoff_failed=1&return_to=${encodeURIComponent("/login/handoff?return_to=https%3A%2F%2Fphotos.other.net%2F")}`,
    ),
    { ...DOMAIN, returnDomains: ["other.net"] },
  ),
  signedIn("consent", toAuthorize(), { publicUrl: "https://auth.example.org" }),
  signedIn("a device to sign in", toDevice, { publicUrl: "https://auth.example.org" }),
  signedIn(
    "a sign-out that an app asks for",
    async (at) => {
      await addIcons(at);
      await to("/oidc/logout?client_id=photos")(at);
    },
    { publicUrl: "https://auth.example.org" },
  ),
  signedIn("unknown path, signed in", to("/nothing")),
  signedIn(
    "wrong address with a public URL",
    ({ page, gate }) => page.goto(gate.url.replace("127.0.0.1", "localhost")),
    { allowedHosts: ["127.0.0.1"], publicUrl: "https://auth.example.org" },
  ),
  signedIn("a failure", async (at) => {
    execute(at.gate.databaseFile, "ALTER TABLE latchkey_keys RENAME TO broken");
    await to("/account/keys")(at);
  }),
  signedOut("invitation for apps", async (at) => {
    await addIcons(at);
    await toLink("invite", "--username", "nora", "--groups", "admins", "--app", "photos,films")(at);
    execute(
      at.gate.databaseFile,
      "UPDATE latchkey_links SET made_by = maker.username, maker_id = maker.id, maker_valid_up_to = 9e12 FROM latchkey_users AS maker",
    );
    await at.page.reload();
  }),
  signedOut("unknown path", to("/nothing")),
  signedOut("form from another site", crossSite),
  signedOut("invitation rejected", async (at) => {
    const { page } = at;
    await toLink("invite")(at);
    await fill(page, { username: OWNER.username, password: "x", confirm: "x" });
    await leave(page, () => page.locator('main [type="submit"]').click());
  }),
  signedOut("invitation", toLink("invite")),
  signedOut("link for a guest", toLink("guest", "visitor", "--groups", "a")),
  signedOut("link for a new password", toLink("reset", OWNER.username)),
  signedOut("unknown path with a form", to("/logout")),
  signedOut(
    "sign-in that leads to another host",
    to("/login?return_to=http://photos.example.org/"),
    {
      cookieDomain: "example.org",
      publicUrl: "http://auth.example.org",
    },
  ),
  signedOut("after a sign-out", async () => {}),
  signedOut(
    "wrong address",
    ({ page, gate }) => page.goto(gate.url.replace("127.0.0.1", "localhost")),
    {
      allowedHosts: ["127.0.0.1"],
    },
  ),
  ...["#ffe000", "#000", "#fff"].map((accentColor) =>
    signedIn(
      `apps in ${accentColor.slice(1)}`,
      async (at) => {
        await atApp(at);
        await to("/apps")(at);
      },
      { accentColor },
    ),
  ),
  signedIn("no access", to("/forward-auth?users=another")),
  signedIn("a form of an ended session", async ({ page }) => {
    await page.context().clearCookies();
    await submit(page, "/account/password", { ...changeForm(OWNER.password, "another horse") });
  }),
  signedIn("signing out everywhere else", async ({ page, gate }) => {
    await gate.signIn();
    await page.goto(`${gate.url}/account/devices`);
    await page.locator("summary.danger").click();
  }),
  signedIn("keys", to("/account/keys")),
  signedIn("a new key", async (at) => {
    await to("/account/keys")(at);
    await at.page.locator("#key_name").fill("Feed reader");
    await leave(at.page, () => sendButton(at.page, "/account/keys/add").click());
  }),
  signedIn(
    "profile of a long name",
    named("a.name.without.spaces.of.many.letters@long.example.org", "/account/profile"),
  ),
  signedIn("profile of an Arabic name", named("عبد الرحمن بن محمد الأندلسي", "/account/profile")),
  signedIn("profile of a Chinese name", named("欧阳娜娜的妹妹的朋友司马相如", "/account/profile")),
  signedIn("no access for an Arabic name", named("عبد الرحمن", "/forward-auth?users=another")),
  signedOut("unknown link", to("/link/unknown")),
  signedIn("sign-in, signed in", to("/login")),
  signedIn("apps without any", to("/apps")),
  signedIn("apps without any, for a person", async (at) => {
    execute(at.gate.databaseFile, "UPDATE latchkey_users SET groups = NULL");
    await eventually(async () => {
      await to("/apps")(at);
      return (await at.page.locator(".narrow").count()) > 0 || undefined;
    });
  }),
  signedIn("apps with a search", async (at) => {
    await manyApps(at);
    await toPage("/apps")(at);
  }),
  signedIn("apps with a search that finds none", async (at) => {
    await manyApps(at);
    await toPage("/apps?q=zzz")(at);
  }),
  signedIn("apps of a guest", async (at) => {
    await manyApps(at);
    await at.page.context().clearCookies();
    await toLink("guest", "cat sitter", "--groups", "family")(at);
    await leave(at.page, () => at.page.locator('main [type="submit"]').click());
  }),
  signedIn("apps of a person", async (at) => {
    await addApps(at);
    await to("/apps")(at);
  }),
  signedIn("profile", to("/account/profile")),
  signedIn("profile with a name and an address", async (at) => {
    addProfiles(at);
    await to("/account/profile")(at);
  }),
  signedIn("profile with a wrong address", async (at) => {
    await to("/account/profile")(at);
    await at.page.locator("#name").fill("Jürgen Müller-Lüdenscheidt");
    await enter(at, "email", "juergen");
  }),
  signedIn("how one signs in", async () => {}),
  signedIn("devices", to("/account/devices")),
  signedIn("activity", to("/account/history")),
  signedIn("how one signs in, after a rejected password change", ({ page }) =>
    submit(page, "/account/password", { ...changeForm("wrong", "another horse") }),
  ),
  signedIn("codes begun", codesBegun),
  signedIn("recovery codes", codesOn),
  signedIn("how one signs in, with codes", async (at) => {
    await codesOn(at);
    await to("/account/sign-in")(at);
  }),
  signedIn("codes begun, after a wrong code", async (at) => {
    await codesBegun(at);
    await submit(at.page, CONFIRM, { code: "000" });
  }),
  signedIn("passkeys", async (at) => {
    await manyRows(at, 3);
    await toPage("/account/sign-in")(at);
  }),
  signedIn("a passkey to remove", async (at) => {
    await manyRows(at, 1);
    await toPage("/account/sign-in")(at);
    await at.page.locator("li .danger").first().click();
  }),
  signedIn("passkeys at their limit", async (at) => {
    await manyRows(at, 60);
    await toPage("/account/sign-in")(at);
  }),
  signedIn("devices at their limit", async (at) => {
    await manyRows(at, 60);
    await toPage("/account/devices")(at);
    await unfold(at.page);
  }),
  signedIn("confirming", async (at) => {
    await carry(at, inThePast((await at.page.context().cookies())[0]?.value ?? ""));
    await submit(at.page, BEGIN);
  }),
  signedIn("confirming failed", async (at) => {
    await carry(at, inThePast((await at.page.context().cookies())[0]?.value ?? ""));
    await to("/login?error=1&again=1")(at);
  }),
  signedIn("people", async (at) => {
    addPeople(at);
    await to(PEOPLE)(at);
  }),
  signedIn("people, with a search without a hit", to(`${PEOPLE}?q=zzz`)),
  signedIn("people, the first of many", async (at) => {
    manyPeople(at);
    await to(PEOPLE)(at);
  }),
  signedIn("a person", async (at) => {
    addPeople(at);
    await addApps(at);
    await to(`${PEOPLE}/2`)(at);
  }),
  signedIn("a person with an Arabic name", async (at) => {
    addPeople(at);
    addProfiles(at);
    await to(`${PEOPLE}/2`)(at);
  }),
  signedIn("people with names", async (at) => {
    addPeople(at);
    addProfiles(at);
    await to(PEOPLE)(at);
  }),
  signedIn("a guest", async (at) => {
    addPeople(at);
    await to(`${PEOPLE}/4`)(at);
  }),
  signedIn("a person with a problem, and the removal unfolded", async (at) => {
    addPeople(at);
    await to(`${PEOPLE}/3`)(at);
    await at.page.locator("#groups").fill("Not a group");
    await leave(at.page, () => at.page.locator("#groups").press("Enter"));
    await unfold(at.page);
  }),
  signedIn("links without any", to("/account/links")),
  signedIn("links", async (at) => {
    addPeople(at);
    await addApps(at);
    await addLinks(at);
    await to("/account/links")(at);
  }),
  signedIn("links, with a guest that misses groups", async (at) => {
    await to("/account/links")(at);
    await at.page.locator('[id="guest-username"]').fill("visitor");
    await leave(at.page, () => at.page.locator("#guest [type=submit]").click());
  }),
  signedIn("links, with a new link", async (at) => {
    await to("/account/links")(at);
    await leave(at.page, () => at.page.locator("#invite [type=submit]").click());
  }),
  signedIn("apps", async (at) => {
    await atApp(at);
    await addApps(at);
    await to(APPS)(at);
  }),
  signedIn("apps, none found", async (at) => {
    await addApps(at);
    await to(`${APPS}?q=${encodeURIComponent("a/b")}`)(at);
  }),
  signedIn("administration without apps", to(APPS)),
  signedIn("a new app", to(`${APPS}/new`)),
  signedIn("a known app to add", to(`${APPS}/new?recipe=immich`)),
  signedIn("no known app with this name", to(`${APPS}/new?q=zz`)),
  signedIn(
    "a known app that was added",
    async (at) => {
      await to(`${APPS}/new?recipe=nextcloud`)(at);
      await submit(at.page, `${APPS}/add`, { url: "https://files.example.org" });
    },
    { publicUrl: "http://localhost" },
  ),
  signedIn("an app that is turned off", async (at) => {
    await addApps(at);
    await to(`${APPS}/wiki`)(at);
    await leave(at.page, () => at.page.locator("[name=state]").click());
  }),
  signedIn(
    "an app",
    async (at) => {
      await atApp(at);
      await unfold(at.page);
    },
    { publicUrl: "https://auth.example.org" },
  ),
  signedIn("an app with a refused address", async (at) => {
    await atApp(at);
    await unfold(at.page);
    await at.page.locator("#redirects").fill("http://photos.example.org/callback");
    await leave(at.page, () => at.page.locator("form:has(#redirects) button[type=submit]").click());
  }),
  signedIn("an app with a new secret", async (at) => {
    await atApp(at);
    await unfold(at.page);
    await leave(at.page, () => sendButton(at.page, `${APPS}/secret`).click());
  }),
  signedIn(
    "an app that knows the person",
    async (at) => {
      await atApp(at);
      await to("/account/access")(at);
    },
    { publicUrl: "https://auth.example.org" },
  ),
  signedIn("activity of everybody", async (at) => {
    await addActivity(at);
    await to("/account/activity")(at);
  }),
  signedIn("activity of an app", async (at) => {
    await addApps(at);
    await addActivity(at);
    await to("/account/activity?app=photos")(at);
  }),
  signedIn("activity of nobody", to("/account/activity?name=nobody")),
  signedIn("sign-in with a code", async (at) => {
    await codesOn(at);
    await loggedOff()(at);
  }),
  signedIn("second step of a sign-in with a code", async (at) => {
    await codesOn(at);
    await loggedOff()(at);
    await fill(at.page, OWNER);
    await sendButton(at.page, "/login").click();
  }),
  signedIn("failed sign-in with a code", async (at) => {
    await codesOn(at);
    await loggedOff("/login?error=1")(at);
  }),
  ...["sign-in with a passkey", "sign-in with the passkey first"].map((name, index) =>
    signedIn(name, async (at) => {
      await manyRows(at, 1);
      await at.page.evaluate((used) => localStorage.setItem("latchkey-passkey", used), `${index}`);
      await at.page.context().clearCookies();
      await at.page.goto(new URL("/login", at.page.url()).href);
    }),
  ),
  signedIn("devices, with a remembered one", async (at) => {
    const fields = { code: codeShown(await codesOn(at), 1), remember_device: "1" };
    await carry(at, (await at.gate.signIn(fields)).session ?? "");
    await to("/account/devices")(at);
  }),
  {
    name: "a required second factor that is missing",
    async open(t, visiting) {
      const at = await atGate(t, visiting, { requireSecondFactor: ["admins"] });
      await carry(at, await at.gate.setUp());
      await to("/")(at);
      return at.page;
    },
  },
  signedIn("sign-in with a second factor", to("/login?factor=2")),
];

export const stateNamed = (name: string): State => {
  const found = states.find((state) => state.name === name);
  if (found === undefined) throw new Error(`no state is called ${name}`);
  return found;
};
