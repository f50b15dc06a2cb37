/** mod_auth_openidc of Apache, configured as its README says. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { reportSkipped, startProgram, whereInstalled } from "../proxies/program.ts";
import { type Arrival, type RecordingApp, startRecordingApp } from "../proxies/recording-app.ts";
import {
  confirmSignOut,
  enterPassword,
  type Site,
  signInAgain,
  signOutAtProvider,
  startSite,
} from "./site.ts";

const CALLBACK = "/secure/redirect_uri";
const REGISTRATION = {
  callback: CALLBACK,
  signedOut: "/bye",
  backchannel: `${CALLBACK}?logout=backchannel`,
};
const MODULES = "/usr/lib/apache2/modules";
const OWN = ["mpm_event", "authn_core", "authz_core", "authz_user", "proxy", "proxy_http"];

const configure = ({ settings, appUrl }: Site, place: string, more: string): string => `
${[...OWN, "auth_openidc"].map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`).join("\n")}
ServerName 127.0.0.1
Listen 127.0.0.1:${settings.PORT}
PidFile pid
DefaultRuntimeDir .
ErrorLog error.log

OIDCProviderMetadataURL ${settings.ISSUER}/.well-known/openid-configuration
OIDCClientID ${settings.CLIENT_ID}
OIDCClientSecret ${settings.CLIENT_SECRET}
OIDCRedirectURI ${appUrl}/secure/redirect_uri
OIDCCryptoPassphrase "a passphrase of this test"
OIDCScope "openid profile groups"
OIDCRemoteUserClaim preferred_username
${more}

<Location /secure>
  AuthType openid-connect
  Require claim groups:admins
</Location>
ProxyPass /secure/redirect_uri !
ProxyPass / http://${place}/
`;

async function startApache(
  t: TestContext,
  program: string,
  site: Site,
  more = "",
): Promise<RecordingApp> {
  const app = await startRecordingApp(t);
  await startProgram(t, program, {
    configuration: configure(site, app.place, more),
    args: (file, folder) => ["-D", "FOREGROUND", "-d", folder, "-f", file],
    address: { host: "127.0.0.1", port: site.appPort },
  });
  return app;
}

if (existsSync(`${MODULES}/mod_auth_openidc.so`)) {
  whereInstalled("apache2", (program) => {
    test("mod_auth_openidc signs in, refreshes the tokens, and signs out", async (t) => {
      const site = await startSite(t, REGISTRATION);
      const app = await startApache(t, program, site);
      const { page, appUrl, ownerId } = site;
      const url = `${appUrl}/secure/page?a=b`;
      await page.goto(url);
      await enterPassword(site);
      assert.equal(page.url(), url);
      const { headers: first } = readLast(app);
      assert.equal(first.oidc_claim_sub, ownerId);
      assert.equal(first.oidc_claim_preferred_username, "owner");
      assert.equal(first.oidc_claim_groups, "admins");

      const refresh = { refresh: url, access_token: String(first.oidc_access_token) };
      await page.goto(`${appUrl}${CALLBACK}?${new URLSearchParams(refresh)}`);
      assert.equal(page.url(), url);
      const { headers: second } = readLast(app);
      assert.equal(second.oidc_claim_sub, ownerId);
      assert.notEqual(second.oidc_access_token, first.oidc_access_token);

      await signInAgain(site, () => page.goto(url));
      const logout = { logout: `${appUrl}/bye` };
      await page.goto(`${appUrl}${CALLBACK}?${new URLSearchParams(logout)}`);
      await confirmSignOut(site, "/bye");
      await page.goto(url);
      await enterPassword(site);
      await signOutAtProvider(site, "/secure/page");
    });

    test("mod_auth_openidc asks with a form, and proves with PKCE that it has asked", async (t) => {
      const site = await startSite(t, REGISTRATION);
      const settings = ["OIDCProviderAuthRequestMethod POST", "OIDCPKCEMethod S256"];
      const app = await startApache(t, program, site, settings.join("\n"));
      const url = `${site.appUrl}/secure/page`;
      await site.page.goto(url);
      await enterPassword(site);
      assert.equal(readLast(app).headers.oidc_claim_sub, site.ownerId);
      await signInAgain(site, () => site.page.goto(url));
    });
  });
} else {
  reportSkipped("mod_auth_openidc is not installed");
}

const readLast = ({ arrivals }: RecordingApp): Arrival => {
  const last = arrivals.at(-1);
  assert.ok(last);
  return last;
};
