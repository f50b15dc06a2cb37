import assert from "node:assert/strict";
import { test } from "node:test";
import * as client from "openid-client";
import { createFields } from "../../src/recipes/fill-recipe.ts";
import type { ClaimUse, OidcWay, Recipe } from "../../src/recipes/recipe.ts";
import { listRecipeIds, readRecipe } from "../../src/recipes/recipe-files.ts";
import type { Browser } from "../oidc/browser.ts";
import {
  type App,
  ISSUER,
  type Person,
  type RunningProvider,
  startProvider,
} from "../oidc/provider.ts";
import { type Parameters, startSignIn, walk } from "../oidc/sign-in.ts";
import { openStore } from "../support/store.ts";

const URL_OF_APP = "https://app.example.org";

/** Authenticates as the recipe says that the app does. */
const authentications: Readonly<Record<OidcWay["client"], (secret: string) => client.ClientAuth>> =
  {
    client_secret_basic: (secret) => client.ClientSecretBasic(secret),
    client_secret_post: (secret) => client.ClientSecretPost(secret),
    public: () => client.None(),
  };

async function addByRecipe(provider: RunningProvider, recipe: Recipe, way: OidcWay): Promise<App> {
  const fields = createFields({ ...recipe, ways: [way] }, URL_OF_APP);
  // The secret is not known before the app is added.
  let authenticate: client.ClientAuth = client.None();
  const app = await provider.addApp(fields, (...sent) => authenticate(...sent));
  authenticate = authentications[way.client](app.secret);
  return app;
}

/**
 * Signs in as `signIn` does, but sends the redirect address to the letter: the client would add a
 * slash to an address without a path, which apps do not.
 */
async function signInAt(
  browser: Browser,
  app: App,
  person: Person,
  parameters: Parameters & { readonly redirect_uri: string },
) {
  const { url, checks } = await startSignIn(app, parameters);
  const { url: callback } = await walk(browser, await browser.visit(url), person);
  assert.equal(callback.searchParams.get("state"), checks.expectedState);
  const tokens = await client.genericGrantRequest(app.client, "authorization_code", {
    code: callback.searchParams.get("code") ?? "",
    redirect_uri: parameters.redirect_uri,
    ...(checks.pkceCodeVerifier !== undefined && { code_verifier: checks.pkceCodeVerifier }),
  });
  return { tokens, callback };
}

for (const id of listRecipeIds()) {
  const recipe = readRecipe(id);
  for (const way of recipe?.ways ?? []) {
    if (recipe === undefined || way.way !== "oidc") continue;

    test(`${id}: signs people in with the values of the recipe`, async (t) => {
      const provider = await startProvider(t, await openStore(t));
      const person = await provider.addPerson(["family"]);
      const profile = {
        name: "Ada Example",
        email: "ada@example.org",
        emailIs: "verified",
      } as const;
      assert.equal(await provider.auth.users.setProfile(person.id, profile), "set");
      const app = await addByRecipe(provider, recipe, way);
      const { redirects = [], signOutRedirects = [] } = createFields(
        { ...recipe, ways: [way] },
        URL_OF_APP,
      );
      const browser = provider.openBrowser();
      const parameters = {
        scope: way.scopes.join(" "),
        // A browser without a session of the app asks again.
        ...(way.pkce === "never" && {
          code_challenge: undefined,
          code_challenge_method: undefined,
        }),
      };
      for (const redirectUri of redirects) {
        const { tokens, callback } = await signInAt(browser, app, person, {
          ...parameters,
          redirect_uri: redirectUri,
        });
        assert.ok(callback.href.startsWith(redirectUri), callback.href);
        const info = await client.fetchUserInfo(app.client, tokens.access_token, person.id);
        for (const [claim, { need }] of Object.entries<ClaimUse>(way.claims)) {
          if (need === "optional") continue;
          assert.ok(info[claim] !== undefined, `${claim} for the scopes ${way.scopes}`);
        }
        if (way.scopes.includes("offline_access")) assert.ok(tokens.refresh_token);
      }

      const { url } = await startSignIn(app, { ...parameters, redirect_uri: `${URL_OF_APP}/evil` });
      const refused = await browser.visit(url);
      assert.deepEqual([refused.url.origin, refused.status], [ISSUER, 400]);

      for (const target of signOutRedirects) {
        const { tokens } = await signInAt(browser, app, person, {
          ...parameters,
          redirect_uri: app.redirectUri,
        });
        const end = new URL(String(app.client.serverMetadata().end_session_endpoint));
        end.search = new URLSearchParams({
          id_token_hint: tokens.id_token ?? "",
          post_logout_redirect_uri: target,
        }).toString();
        const asked = await browser.visit(end);
        const page = asked.status === 0 ? asked : await browser.submit(asked, { logout: "yes" });
        assert.ok(page.url.href.startsWith(target), page.url.href);
      }
    });
  }
}
