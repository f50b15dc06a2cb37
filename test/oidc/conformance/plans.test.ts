import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

/** The modules of the conformance suite for these profiles, by the name of the plan. */
const PLANS: Readonly<Record<string, string>> = {
  "oidcc-basic-certification-test-plan": `
    oidcc-server oidcc-response-type-missing oidcc-idtoken-signature oidcc-idtoken-unsigned
    oidcc-userinfo-get oidcc-userinfo-post-header oidcc-userinfo-post-body
    oidcc-ensure-request-without-nonce-succeeds-for-code-flow
    oidcc-scope-profile oidcc-scope-email oidcc-scope-address oidcc-scope-phone oidcc-scope-all
    oidcc-alternate-happy-flow oidcc-display-page oidcc-display-popup oidcc-prompt-login
    oidcc-prompt-none-not-logged-in oidcc-prompt-none-logged-in oidcc-max-age-1 oidcc-max-age-10000
    oidcc-ensure-request-with-unknown-parameter-succeeds oidcc-id-token-hint oidcc-login-hint
    oidcc-ui-locales oidcc-claims-locales oidcc-ensure-request-with-acr-values-succeeds
    oidcc-codereuse oidcc-codereuse-30seconds oidcc-ensure-registered-redirect-uri
    oidcc-ensure-post-request-succeeds oidcc-server-client-secret-post
    oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported
    oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported
    oidcc-claims-essential oidcc-ensure-request-object-with-redirect-uri oidcc-refresh-token
    oidcc-ensure-request-with-valid-pkce-succeeds`,
  "oidcc-config-certification-test-plan": "oidcc-discovery-endpoint-verification",
  "oidcc-rp-initiated-logout-certification-test-plan": `
    oidcc-rp-initiated-logout-discovery-endpoint-verification oidcc-rp-initiated-logout
    oidcc-rp-initiated-logout-bad-post-logout-redirect-uri
    oidcc-rp-initiated-logout-modified-id-token-hint oidcc-rp-initiated-logout-no-id-token-hint
    oidcc-rp-initiated-logout-no-params oidcc-rp-initiated-logout-no-post-logout-redirect-uri
    oidcc-rp-initiated-logout-no-state oidcc-rp-initiated-logout-only-state
    oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri
    oidcc-rp-initiated-logout-bad-id-token-hint`,
  "oidcc-backchannel-rp-initiated-logout-certification-test-plan": `
    oidcc-backchannel-logout-discovery-endpoint-verification oidcc-backchannel-rp-initiated-logout`,
};

const FOLDER = new URL("./", import.meta.url);
const text = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".test.ts") && name !== "plans.test.ts")
  .map((name) => readFileSync(new URL(name, FOLDER), "utf8"))
  .join("\n");

for (const [plan, names] of Object.entries(PLANS)) {
  test(`every module of ${plan} has a test`, () => {
    const missing = names
      .trim()
      .split(/\s+/)
      .filter((name) => !text.includes(`"${name}"`));
    assert.deepEqual(missing, []);
  });
}
