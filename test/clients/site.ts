import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { Page, Request } from "playwright-core";
import { fill, submit } from "../browser/forms.ts";
import { openPage, type Visiting } from "../support/browser.ts";
import {
  CA_CERTIFICATE,
  SERVER_CERTIFICATE,
  SERVER_KEY,
  writeCertificate,
} from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { OWNER, type RunningGate, SETUP_FORM, startGate } from "../support/gate.ts";
import { partsOf } from "../support/mint.ts";
import { type AppFields as NamedFields, registerApp } from "../support/register-app.ts";
import { fileWith, tempDir } from "../support/temp-dir.ts";

/** The clients of other authors, each in a small app. */
export const APPS: string = fileURLToPath(new URL("./apps/", import.meta.url));

export interface Registration {
  /** The path to which a sign-in returns. */
  readonly callback: string;
  /** The path to which a sign-out returns. */
  readonly signedOut: string;
  /** The path at which the app learns that a session has ended. */
  readonly backchannel?: string;
  /** The origin at which people open the app, if it is not that of the other paths. */
  readonly origin?: string;
  /** A `public` client has no secret. Default: `confidential`. */
  readonly type?: "confidential" | "public";
  /** `https`: the client accepts no provider with plain HTTP, also on loopback. */
  readonly scheme?: "http" | "https";
  /** `https`: the app itself has a certificate. */
  readonly appScheme?: "http" | "https";
  /** What the pages of the app write to the console, and the statuses that it returns. */
  readonly expected?: Pick<Visiting, "logs" | "statuses">;
  /** Settings of a recipe, for the URL of the app, in place of the paths above. */
  readonly settingsFor?: (appUrl: string) => AppFields;
}

/** A gate, an app that it knows, and a browser. The app is not running yet. */
export interface Site {
  readonly page: Page;
  readonly gate: RunningGate;
  readonly issuer: string;
  /** Apps get the ID of the account as `sub`. */
  readonly ownerId: string;
  readonly appUrl: string;
  readonly appPort: number;
  /** What a person enters in the settings of an app, and no more. */
  readonly settings: Readonly<
    Record<"ISSUER" | "CLIENT_ID" | "CLIENT_SECRET" | "APP_URL" | "PORT", string>
  >;
  /** The certificate of the authority, in PEM. */
  readonly caFile: string;
}

type AppFields = Partial<NamedFields>;

const APP_NAME = "Photo album";

/**
 * Starts a gate on `localhost`, and registers an app at 127.0.0.1. These are two sites, so that each
 * has its own cookies and `SameSite` applies as on the internet.
 */
export async function startSite(t: TestContext, registration: Registration): Promise<Site> {
  const { callback, signedOut, backchannel, type, origin, scheme = "http" } = registration;
  const { appScheme = "http", settingsFor = () => ({}) } = registration;
  failOnNotices(t);
  const { expected = {} } = registration;
  const page = await openPage(t, { certificates: "any", givenUp: "allowed", ...expected });
  const dir = await tempDir(t);
  const gatePort = await freePort();
  const issuer = `${scheme}://localhost:${gatePort}`;
  const certificate = { cert: SERVER_CERTIFICATE, key: SERVER_KEY };
  const { certFile, keyFile } = await writeCertificate(dir, certificate);
  const gate = await startGate(t, {
    publicUrl: issuer,
    ...(scheme === "http"
      ? { port: gatePort }
      : { httpsPort: gatePort, tlsCertFile: certFile, tlsKeyFile: keyFile }),
  });
  const ownerId = await setUp(page, issuer);
  const appPort = await freePort();
  const appUrl = `${appScheme}://127.0.0.1:${appPort}`;
  const { id, secret } = await registerApp(gate, {
    name: APP_NAME,
    redirects: [appUrl + callback],
    signOutRedirects: [appUrl + signedOut],
    clientType: type,
    url: origin,
    ...(backchannel !== undefined && { backchannelUrl: appUrl + backchannel }),
    ...settingsFor(appUrl),
  });
  return {
    ...{ page, gate, issuer, appUrl, appPort, ownerId },
    settings: {
      ISSUER: issuer,
      CLIENT_ID: id,
      CLIENT_SECRET: secret,
      APP_URL: appUrl,
      PORT: String(appPort),
    },
    caFile: await fileWith(t, CA_CERTIFICATE),
  };
}

/** The provider's library prints a notice where it uses a default that a server should not have. */
function failOnNotices(t: TestContext): void {
  const mocks = [t.mock.method(console, "info"), t.mock.method(console, "warn")];
  t.after(() => {
    const printed = mocks.flatMap(({ mock }) => mock.calls.map((call) => call.arguments.join(" ")));
    // Must be the last hook, since hooks after a failing one do not run.
    t.after(() => assert.deepEqual(printed, []));
  });
}

/** Creates the account `OWNER`, and returns its ID. The browser is not signed in. */
async function setUp(page: Page, issuer: string): Promise<string> {
  await page.request.post(`${issuer}/setup`, { form: SETUP_FORM, maxRedirects: 0 });
  const cookies = await page.context().cookies(issuer);
  const session = cookies.find(({ name }) => name === "session" || name === "__Host-session");
  await page.context().clearCookies();
  return String(partsOf(session?.value ?? "").claims.user_id);
}

/** Signs in at the page to which the app has redirected, and returns to the app or another `origin`. */
export async function enterPassword(site: Site, origin: string = site.appUrl): Promise<void> {
  const { page, issuer } = site;
  await page.waitForURL(`${issuer}/login?**`);
  await page.getByRole("heading", { name: APP_NAME }).waitFor();
  await fill(page, OWNER);
  await Promise.all([
    page.waitForURL((url) => url.origin === origin && url.pathname !== "/login"),
    page.getByRole("button", { name: "Sign in", exact: true }).click(),
  ]);
}

/** Confirms the sign-out at the provider, and returns to this path of the app. */
export async function confirmSignOut(
  { page, issuer, appUrl }: Site,
  path: string,
  origin: string = appUrl,
): Promise<void> {
  await page.waitForURL(`${issuer}/oidc/logout?**`);
  await Promise.all([
    page.waitForURL(origin + path),
    page.getByRole("button", { name: "Sign out", exact: true }).click(),
  ]);
}

/** Signs out at the provider itself, which tells the app: this page of the app asks to sign in. */
export async function signOutAtProvider(site: Site, path: string): Promise<void> {
  const { page, issuer, appUrl } = site;
  const readStatus = async (): Promise<number> => {
    const response = await page.request.get(appUrl + path, { maxRedirects: 0 });
    return response.status();
  };
  assert.equal(await readStatus(), 200);
  await page.goto(`${issuer}/`);
  await submit(page, "/logout");
  await eventually(async () => ((await readStatus()) === 302 ? true : undefined));
}

/** With a session at the provider, the app signs in without asking, also if it has forgotten all. */
export async function signInAgain(site: Site, open: () => Promise<unknown>): Promise<void> {
  const { page, issuer } = site;
  await page.context().clearCookies({ domain: "127.0.0.1" });
  const asked: string[] = [];
  const listen = (request: Request): void => {
    if (request.isNavigationRequest()) asked.push(request.url());
  };
  page.on("request", listen);
  await open();
  await page.locator("pre").waitFor();
  page.off("request", listen);
  assert.ok(asked.some((url) => url.startsWith(`${issuer}/oidc/authorize`)));
  assert.ok(!asked.some((url) => url.startsWith(`${issuer}/login`)));
}

/** What the page of an app shows about the person, as JSON. */
export async function readShown({ page }: Site): Promise<Readonly<Record<string, unknown>>> {
  const shown = page.locator("pre");
  await shown.waitFor().catch(async (error: Error) => {
    throw new Error(`${error.message}\n${page.url()}: ${await page.content()}`);
  });
  return JSON.parse((await shown.textContent()) ?? "");
}
