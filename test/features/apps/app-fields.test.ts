import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type AppFields,
  applyFields,
  type FieldProblem,
  toAppDetails,
} from "../../../src/features/apps/app-fields.ts";
import { explainFieldProblem, isFieldProblem } from "../../../src/features/apps/explain-problem.ts";

const APP = { id: "photos", name: "Photos", createdAt: new Date(0) };
const REDIRECT = "https://photos.test/callback";

/** Returns the problem with its text, or `undefined` if the fields are accepted. */
function problemOf(fields: object): (FieldProblem & { readonly text: string }) | undefined {
  const outcome = applyFields(APP, { redirects: [REDIRECT], ...fields } as AppFields);
  if (!("kind" in outcome)) return undefined;
  assert.ok(isFieldProblem(outcome));
  const text = explainFieldProblem(outcome);
  assert.doesNotMatch(text, /undefined|\[object/);
  return { ...outcome, text };
}

test("keeps what is not given, and removes what is empty", () => {
  const full: AppFields = {
    ...{ name: "Photos", section: "Family", url: "https://photos.test", factors: 2 },
    ...{ upstream: "http://127.0.0.1:1", groups: ["family"], redirects: [REDIRECT] },
    ...{ signOutRedirects: ["https://photos.test/"], backchannelUrl: "https://photos.test/out" },
    ...{ consent: "ask", signing: "ES256", state: "off" },
  };
  const app = applyFields(APP, full);
  assert.ok(!("kind" in app));
  const expected = { ...full, id: "photos", clientType: "confidential", createdAt: new Date(0) };
  assert.deepEqual(toAppDetails(app), expected);
  assert.deepEqual(applyFields(app, {}), app);
  const removed = applyFields(app, {
    ...{ section: " ", url: "", upstream: "", groups: [], factors: 1, clientType: "none" },
    ...{ redirects: [], signOutRedirects: [], backchannelUrl: "", consent: "none" },
    state: "on",
  });
  assert.deepEqual(removed, APP);
});

test("lets an app with redirects speak OpenID Connect, and a public client without any", () => {
  const typeOf = (fields: AppFields) => {
    const app = applyFields(APP, fields);
    return "kind" in app ? app.kind : app.clientType;
  };
  assert.equal(typeOf({}), undefined);
  assert.equal(typeOf({ redirects: [REDIRECT] }), "confidential");
  assert.equal(typeOf({ redirects: [REDIRECT], clientType: "public" }), "public");
  assert.equal(typeOf({ clientType: "public" }), "public");
  assert.equal(typeOf({ clientType: "confidential" }), "redirect-missing");
  assert.equal(typeOf({ redirects: [REDIRECT], clientType: "none" }), undefined);
});

test("refuses what has no effect without OpenID Connect", () => {
  for (const fields of [
    { signOutRedirects: ["https://a.test/"] },
    { backchannelUrl: "https://a.test/" },
    { consent: "ask" },
    { signing: "ES256" },
  ]) {
    assert.equal(problemOf({ ...fields, redirects: [] })?.kind, "oidc-missing");
    assert.equal(problemOf(fields), undefined);
    assert.equal(problemOf({ ...fields, clientType: "none" }), undefined, "given up as a whole");
  }
  const harmless = { signOutRedirects: [], backchannelUrl: "", consent: "none", signing: "RS256" };
  assert.equal(problemOf({ ...harmless, redirects: [] }), undefined, "as a form sends them");
});

test("names each value that it refuses, and what to write instead", () => {
  const long = `https://a.test/${"x".repeat(2_048)}`;
  for (const [fields, kind, named, instead] of [
    [{ name: " " }, "name-missing", "a name", "needs"],
    [{ name: "a\tb" }, "name-invalid", '"a\tb"', "without"],
    [{ name: "a\0b" }, "name-invalid", '"a\0b"', "without"],
    [{ name: "a\u202eb" }, "name-invalid", '"a\u202eb"', "without"],
    [{ name: "ä".repeat(128) }, "name-invalid", "ä", "255 bytes"],
    [{ section: "a\nb" }, "section-invalid", '"a\nb"', "without"],
    [{ groups: ["A B"] }, "groups-invalid", '"A B"', "family,photos"],
    [{ groups: [""] }, "groups-invalid", '""', "family,photos"],
    [{ groups: ["", ""] }, "groups-invalid", '","', "family,photos"],
    [
      {
        groups: Array(33)
          .fill(0)
          .map((_, i) => `g${i}`),
      },
      "groups-invalid",
      "g0,g1",
      "32",
    ],
    [{ factors: 3 }, "factors-invalid", '"3"', "1 or 2"],
    [{ clientType: "secret" }, "client-type-invalid", '"secret"', "confidential"],
    [{ signing: "HS256" }, "signing-invalid", '"HS256"', "ES256"],
    [{ consent: "yes" }, "consent-invalid", '"yes"', "ask"],
    [{ redirects: Array(51).fill(REDIRECT) }, "too-many-redirects", "51", "50"],
    [{ signOutRedirects: Array(51).fill(REDIRECT) }, "too-many-redirects", "51", "50"],
    [{ url: "photos.test" }, "url-invalid", '"photos.test"', "https://photos"],
    [{ url: "localhost:80" }, "url-invalid", '"localhost:80"', "https://"],
    [{ url: "https://a.test/\0" }, "url-invalid", '"https://a.test/\0"', "ASCII"],
    [{ url: "https://ä.test" }, "url-invalid", "ä.test", "ASCII"],
    [{ url: long }, "url-invalid", "https://a.test/xxx", "shorter"],
    [{ url: "https://u:p@a.test" }, "url-invalid", '"https://u:p@a.test"', "leave them out"],
    [{ url: "https://a.test/#b" }, "url-invalid", '"https://a.test/#b"', "leave it out"],
    [{ upstream: "http://a.test/" }, "upstream-invalid", '"http://a.test/"', "scheme, host"],
    [{ upstream: "http://a.test/b" }, "upstream-invalid", '"http://a.test/b"', "scheme, host"],
    [{ upstream: "unix:/run/a" }, "upstream-invalid", '"unix:/run/a"', "http://127.0.0.1"],
    [{ backchannelUrl: "javascript:1" }, "backchannel-url-invalid", '"javascript:1"', "https"],
    [{ redirects: [REDIRECT, ""] }, "redirect-invalid", '""', "https://photos"],
    [{ redirects: ["https://a.test/ b"] }, "redirect-invalid", '"https://a.test/ b"', "ASCII"],
    [{ redirects: ["javascript:1"] }, "redirect-invalid", '"javascript:1"', "https"],
    [{ redirects: ["DATA:text/html,1"] }, "redirect-invalid", '"DATA:', "https"],
    [{ redirects: ["http://a.test/"] }, "redirect-invalid", '"http://a.test/"', "localhost"],
    [{ redirects: ["immich:/a"] }, "redirect-invalid", '"immich:/a"', "org.example"],
    [{ signOutRedirects: ["file:///a"] }, "sign-out-redirect-invalid", '"file:///a"', "https"],
    [{ redirects: [], clientType: "confidential" }, "redirect-missing", "redirect URI", "https"],
  ] as const) {
    const problem = problemOf(fields);
    assert.equal(problem?.kind, kind, JSON.stringify(fields));
    assert.ok(problem.text.includes(named) && problem.text.includes(instead), problem.text);
    assert.ok(problem.text.length < 400, "a long value is shortened");
  }
});

test("accepts redirects to https, to this machine and to an app with a dot in its scheme", () => {
  for (const uri of [
    REDIRECT,
    "https://photos.test:8443/a?b=c&d=%20",
    "http://localhost:3000/callback",
    "http://127.0.0.1/",
    "http://[::1]:8080/a",
    "app.immich:///oauth-callback",
    "org.example.photos:/callback",
  ]) {
    assert.equal(problemOf({ redirects: [uri], signOutRedirects: [uri] }), undefined, uri);
  }
  assert.equal(problemOf({ redirects: Array(50).fill(REDIRECT) }), undefined);
});
