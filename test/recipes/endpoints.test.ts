import assert from "node:assert/strict";
import { test } from "node:test";
import { fillRecipe } from "../../src/recipes/fill-recipe.ts";
import type { Recipe } from "../../src/recipes/recipe.ts";
import { ISSUER, startProvider } from "../oidc/provider.ts";
import { openStore } from "../support/store.ts";

/** Names the placeholder of each address, and the field of the provider that has it. */
const ADDRESSES = {
  issuer: "issuer",
  authorization: "authorization_endpoint",
  token: "token_endpoint",
  userinfo: "userinfo_endpoint",
  jwks: "jwks_uri",
  end_session: "end_session_endpoint",
  introspection: "introspection_endpoint",
} as const;

const CLIENT = { clientId: "the-client", clientSecret: "the-secret" };

/** Returns the text with the values in place of its placeholders. */
function fillText(text: string, clientSecret: string | undefined = CLIENT.clientSecret): string {
  const recipe: Recipe = {
    ...{ name: text, summary: "a text", section: "Notes", sources: [] },
    ways: [{ way: "proxy", own: "none", enter: [] }],
  };
  const values = { ...CLIENT, url: "https://app.example.org/", issuer: ISSUER };
  return fillRecipe(recipe, { ...values, clientSecret }).name;
}

test("the addresses of recipes are those that the provider names", async (t) => {
  const provider = await startProvider(t, await openStore(t));
  const discovery = fillText("{discovery}");
  const { status, body } = await provider.send(discovery);
  assert.equal(status, 200);
  const metadata = JSON.parse(body);
  for (const [placeholder, field] of Object.entries(ADDRESSES))
    assert.equal(fillText(`{${placeholder}}`), metadata[field], placeholder);
});

test("the address of introspection can contain the client", () => {
  const url = new URL(fillText("{introspection_as_client}"));
  assert.deepEqual([url.username, url.password], ["the-client", "the-secret"]);
  url.username = "";
  url.password = "";
  assert.equal(url.href, fillText("{introspection}"));
});
