/** Directus of npm on PostgreSQL, with what the recipe says to enter. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { submit } from "../browser/forms.ts";
import { enterPassword } from "../clients/site.ts";
import { eventually } from "../support/eventually.ts";
import { installPackages } from "../support/packages.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { startNode } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { operate, type RecipeSite, startRecipeSite } from "./recipe-app.ts";

/**
 * Directus pins a version of isolated-vm that has to be compiled, which fails with current versions of
 * Node.js. The newer one in the lock file comes compiled. It runs the scripts of flows alone.
 */
const PACKAGES = fileURLToPath(new URL("./packages/directus/", import.meta.url));
/** The administrator of Directus, who has a password there. */
const ADMIN = { email: "admin@example.org", password: "a long password" } as const;
const ADA = { username: "ada", password: "a long password" } as const;
const STUDIO = "/admin/content";

const postgres = await sharedPostgres();

test("directus: a person gets the role of new people, and loses the studio with the session", async (t) => {
  const site = await startSite(t);
  const { page, appUrl, issuer, ownerId } = site;
  await setAddress(site, "owner", "owner@example.org", "verified");
  const role = randomUUID();
  const directus = await startDirectus(t, site, { AUTH_LATCHKEY_DEFAULT_ROLE_ID: role });
  await directus.addRole(role, "Editors");

  await page.goto(appUrl + STUDIO);
  await chooseLatchkey(site);
  await enterPassword(site);
  await seeStudio(site);
  const owner = {
    email: "owner@example.org",
    external_identifier: ownerId,
    first_name: null,
    last_name: null,
    provider: "latchkey",
    role,
  };
  assert.deepEqual(await directus.listPeople(), [owner]);

  for (const _ of [1, 2]) {
    const [refresh] = await Promise.all([page.waitForResponse(REFRESH), page.reload()]);
    assert.equal(refresh.status(), 200);
    await seeStudio(site);
  }

  // The session at the gate stays, so that it asks nothing.
  await page.goto(`${appUrl}/admin/logout`);
  await page.getByText("Signed out").waitFor();
  assert.equal(await readStatus(site), 401);
  await chooseLatchkey(site);
  await seeStudio(site);

  await page.goto(`${issuer}/`);
  await submit(page, "/logout");
  const [refresh] = await Promise.all([page.waitForResponse(REFRESH), page.goto(appUrl + STUDIO)]);
  assert.equal(refresh.status(), 403);
  // Only the studio asks the gate. The cookie of Directus still opens its interface.
  assert.equal(await readStatus(site), 200);
  await chooseLatchkey(site);
  await page.waitForURL(`${issuer}/login?**`);

  const check = ["app", "check", site.settings.CLIENT_ID, "--recipe", "directus"];
  const report = await operate(site, {}, ...check);
  assert.match(report, /ok +start .*\/auth\/login\/latchkey begins the sign-in/);
  assert.match(report, /ok +tokens /);
  assert.match(report, /^No problems found/m);
  assert.deepEqual(await directus.listPeople(), [owner]);
});

test("directus: refuses who may not open it, who has no verified address, and who has that of another", async (t) => {
  const site = await startSite(t);
  const { page, appUrl, issuer, settings } = site;
  const directus = await startDirectus(t, site);
  const add = ["user", "add", ADA.username, "--password-stdin"];
  await operate(site, { input: `${ADA.password}\n` }, ...add);
  await page.goto(`${issuer}/login`);
  await submit(page, "/login", ADA);

  const seeRefusal = async (reason: string): Promise<void> => {
    await page.goto(appUrl + STUDIO);
    await chooseLatchkey(site);
    await page.waitForURL(`${appUrl}/admin/login?reason=${reason}`);
    assert.equal(await readStatus(site), 401);
    assert.deepEqual(await directus.listPeople(), []);
  };
  await seeRefusal("INVALID_CREDENTIALS");
  await setAddress(site, "ada", "ada@example.org", "unverified");
  await seeRefusal("INVALID_CREDENTIALS");
  await setAddress(site, "ada", ADMIN.email, "verified");
  await seeRefusal("INVALID_PROVIDER");

  await setAddress(site, "ada", "ada@example.org", "verified");
  await page.goto(appUrl + STUDIO);
  await chooseLatchkey(site);
  // Without a default role, that is all that a new person sees.
  await page.getByText("No App Access").waitFor();
  assert.equal(await readStatus(site), 200);

  await operate(site, {}, "app", "change", settings.CLIENT_ID, "--groups", "staff");
  // Another process has changed the app, which the gate notices within a second.
  await eventually(async () => {
    const [refresh] = await Promise.all([page.waitForResponse(REFRESH), page.reload()]);
    return refresh.status() === 403 || undefined;
  }, TIMEOUT_MS);
  await chooseLatchkey(site);
  await page.getByText("ada may not open Photo album.").waitFor();
  assert.equal(new URL(page.url()).origin, issuer);
});

test("directus: finds the account that an administrator has made, and gives the role of a group", async (t) => {
  const site = await startSite(t);
  const { page, appUrl, ownerId } = site;
  const [editors, keepers] = [randomUUID(), randomUUID()];
  const directus = await startDirectus(t, site, {
    AUTH_LATCHKEY_SCOPE: `${site.environment.AUTH_LATCHKEY_SCOPE} groups`,
    AUTH_LATCHKEY_ROLE_MAPPING: `json:${JSON.stringify({ staff: editors, admins: keepers })}`,
  });
  await directus.addRole(editors, "Editors");
  await directus.addRole(keepers, "Keepers");
  const olga = {
    email: "olga@example.org",
    external_identifier: ownerId,
    first_name: "Olga",
    last_name: null,
    provider: "latchkey",
  };
  await directus.request("POST", "/users", { ...olga, role: editors });

  await page.goto(appUrl + STUDIO);
  await chooseLatchkey(site);
  await enterPassword(site);
  await seeStudio(site);
  assert.deepEqual(await directus.listPeople(), [{ ...olga, role: keepers }]);
});

/** What the studio writes to the console when it starts. */
const GREETING = /^(\n\n⠀|Hey!|%c|🕓|console.groupEnd)/;
const REFRESH = /\/auth\/refresh$/;

/** The studio loads slowly while other proofs run. */
const TIMEOUT_MS = 60_000;

async function startSite(t: TestContext): Promise<RecipeSite> {
  const expected = { logs: GREETING, statuses: [400, 401, 403] };
  const site = await startRecipeSite(t, "directus", { expected });
  site.page.context().setDefaultTimeout(TIMEOUT_MS);
  return site;
}

async function chooseLatchkey({ page }: RecipeSite): Promise<void> {
  await page.getByText("Log In with Latchkey").click();
}

async function seeStudio({ page, appUrl }: RecipeSite): Promise<void> {
  await page.waitForURL(appUrl + STUDIO);
  await page.getByRole("heading", { name: "Content", exact: true }).waitFor();
}

/** Returns the status of a request with the cookie of Directus. */
async function readStatus({ page, appUrl }: RecipeSite): Promise<number> {
  return (await page.request.get(`${appUrl}/users/me`)).status();
}

async function setAddress(
  site: RecipeSite,
  username: string,
  address: string,
  state: "verified" | "unverified",
): Promise<void> {
  const flags = state === "verified" ? ["--email-verified"] : [];
  await operate(site, {}, "user", "set", username, "--email", address, ...flags);
}

interface Directus {
  /** Adds a role that may use the studio. */
  addRole(id: string, name: string): Promise<void>;
  /** Lists the accounts that sign in with Latchkey. */
  listPeople(): Promise<unknown>;
  /** Sends a request of the administrator, and returns the text of the answer. */
  request(method: string, path: string, body?: object): Promise<string>;
}

async function startDirectus(
  t: TestContext,
  site: RecipeSite,
  more: Readonly<Record<string, string>> = {},
): Promise<Directus> {
  const packages = join(await installPackages(PACKAGES, "latchkey-directus"), "node_modules");
  const program = join(packages, "directus/cli.js");
  const folder = await tempDir(t);
  for (const name of ["extensions", "uploads"]) await mkdir(join(folder, name));
  const env = {
    ...{ HOME: folder, HOST: "127.0.0.1", PORT: String(site.appPort) },
    ...{ DB_CLIENT: "pg", DB_CONNECTION_STRING: await postgres.newDatabase() },
    ...{ ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password },
    ...{ SECRET: "a secret for tests, 32 bytes long", TELEMETRY: "false" },
    // On a busy machine, it would refuse requests, and give the gate up after 3.5 seconds.
    ...{ PRESSURE_LIMITER_ENABLED: "false", AUTH_LATCHKEY_CLIENT_HTTP_TIMEOUT: "60000" },
    ...site.environment,
    ...more,
  };
  const { code, stdout, stderr } = await startNode(t, [program, "bootstrap"], env, folder).ended;
  assert.equal(code, 0, stdout + stderr);
  await startNode(t, [program, "start"], env, folder).shows(/Server started at/);

  let authorization = {};
  const request: Directus["request"] = async (method, path, body) => {
    const response = await fetch(site.appUrl + path, {
      method,
      headers: { "Content-Type": "application/json", ...authorization },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return text;
  };
  const { data } = JSON.parse(await request("POST", "/auth/login", ADMIN));
  authorization = { Authorization: `Bearer ${data.access_token}` };

  return {
    request,
    async addRole(id, name) {
      await request("POST", "/roles", { id, name });
      await request("POST", "/policies", { name, app_access: true, roles: [{ role: id }] });
    },
    async listPeople() {
      const fields = "email,external_identifier,first_name,last_name,provider,role";
      const path = `/users?filter[provider][_eq]=latchkey&fields=${fields}`;
      return JSON.parse(await request("GET", path)).data;
    },
  };
}
