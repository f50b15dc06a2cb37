import type { TestContext } from "node:test";
import type { Locator, Page } from "playwright-core";
import { openPage, type Visiting } from "../support/browser.ts";
import { OWNER, type RunningGate, startGate } from "../support/gate.ts";
import { leave, submit } from "./forms.ts";

export interface AtPasskeys {
  readonly gate: RunningGate;
  readonly page: Page;
  /** The gate under a host name: browsers have no passkeys at an IP address. */
  readonly url: string;
  readonly authenticator: Authenticator;
}

export interface Authenticator {
  credentials(): Promise<readonly Credential[]>;
  /** Replaces all credentials by this one. */
  hold(credential: Credential): Promise<void>;
}

/** A credential with its private key, as the protocol of the browser has it. */
interface Credential {
  readonly credentialId: string;
  readonly isResidentCredential: boolean;
  readonly rpId?: string;
  readonly privateKey: string;
  readonly userHandle?: string;
  readonly signCount: number;
}

/** An authenticator that verifies its user at once. */
export async function connectAuthenticator(page: Page): Promise<Authenticator> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const options = {
    protocol: "ctap2",
    transport: "internal",
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const;
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", { options });
  return {
    async credentials() {
      return (await cdp.send("WebAuthn.getCredentials", { authenticatorId })).credentials;
    },
    async hold(credential) {
      await cdp.send("WebAuthn.clearCredentials", { authenticatorId });
      await cdp.send("WebAuthn.addCredential", { authenticatorId, credential });
    },
  };
}

/** Without it, the authenticator would answer as soon as the sign-in page opens. */
export const NO_AUTOFILL =
  "PublicKeyCredential.isConditionalMediationAvailable = async () => false";

export const PHONE = { width: 360, height: 640 } as const;

/** A phone with an authenticator, signed in at a gate by password. */
export async function atPasskeys(
  t: TestContext,
  autofill: "autofill" | "no autofill" = "no autofill",
  visiting: Visiting = {},
): Promise<AtPasskeys> {
  const page = await openPage(t, { statuses: [422], size: PHONE, ...visiting });
  if (autofill === "no autofill") await page.addInitScript({ content: NO_AUTOFILL });
  const gate = await startGate(t);
  await gate.setUp();
  const url = gate.url.replace("127.0.0.1", "localhost");
  const at = { gate, page, url, authenticator: await connectAuthenticator(page) };
  await signInByPassword(at);
  return at;
}

export async function signInByPassword({ page, url }: AtPasskeys): Promise<void> {
  await page.goto(`${url}/login`);
  await submit(page, "/login", OWNER);
}

export const ADD = "/account/passkeys/add";
export const REMOVE = "/account/passkeys/remove";

/** Opens the page about how one signs in. */
export async function openMethods({ page, url }: Pick<AtPasskeys, "page" | "url">): Promise<void> {
  await page.goto(`${url}/account/sign-in`);
}

/** A new passkey has the name of its browser. */
export const BROWSER = "Chrome on Linux";

/** Adds a passkey. */
export async function addPasskey(at: Pick<AtPasskeys, "page" | "url">): Promise<void> {
  const { page } = at;
  await openMethods(at);
  await leave(page, () => page.locator(`form[action="${ADD}"] [type="submit"]`).click());
}

export const useButton = (page: Page): Locator =>
  page.getByRole("button", { name: "Use a passkey" });

export async function signOut({ page, url }: AtPasskeys): Promise<void> {
  await page.context().clearCookies();
  await page.goto(`${url}/login`);
}

/** Signs in with the passkey, on the sign-in page that is open. */
export const signInByPasskey = ({ page }: AtPasskeys): Promise<void> =>
  leave(page, () => useButton(page).click());

/** The names in the list of passkeys. */
export const listed = (page: Page): Promise<readonly string[]> =>
  page.locator("section:has(#passkeys) li b").allTextContents();
