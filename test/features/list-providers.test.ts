import assert from "node:assert/strict";
import { test } from "node:test";
import { findBrand } from "../../src/features/list-providers.ts";
import { apple, github, google, microsoft, oidc } from "../../src/providers.ts";

const clientId = "an-id";

test("finds the mark of each known provider, also of a GitHub of one's own", () => {
  assert.equal(findBrand(google({ clientId })), "google");
  assert.equal(findBrand(apple({ clientId })), "apple");
  assert.equal(findBrand(microsoft({ tenant: "example.org", clientId })), "microsoft");
  assert.equal(findBrand(github({ clientId })), "github");
  assert.equal(findBrand(github({ clientId, issuer: "https://git.example.org" })), "github");
});

test("finds the mark by the issuer, whatever the provider is called", () => {
  const brandOf = (name: string, issuer: string) => findBrand(oidc({ name, issuer, clientId }));
  assert.equal(brandOf("work", "https://accounts.google.com"), "google");
  assert.equal(brandOf("work", "https://login.microsoftonline.com/a-tenant/v2.0"), "microsoft");
  assert.equal(brandOf("work", "https://login.microsoftonline.us/a-tenant/v2.0"), "microsoft");
  assert.equal(brandOf("google", "https://login.example.org"), "other");
  assert.equal(brandOf("google", "https://accounts.google.com.example.org"), "other");
  assert.equal(brandOf("google", "https://accounts.google.com:8443"), "other");
  assert.equal(brandOf("constructor", "https://constructor"), "other");
});
