import assert from "node:assert/strict";
import { test } from "node:test";
import * as client from "openid-client";
import { createFields } from "../../src/features/recipes/fill-recipe.ts";
import type { OidcWay, Recipe } from "../../src/features/recipes/recipe.ts";
import { listRecipeIds, readRecipe } from "../../src/features/recipes/recipe-files.ts";
import { type App, ISSUER, type RunningProvider, startProvider } from "../oidc/provider.ts";
import { signIn, startSignIn } from "../oidc/sign-in.ts";
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

for (const id of listRecipeIds()) {
  const recipe = readRecipe(id);
  for (const way of recipe?.ways ?? []) {
    if (recipe === undefined || way.way !== "oidc") continue;

    test(`${id}: signs people in with the values of the recipe`, async (t) => {
      const provider = await startProvider(t, await openStore(t));
      const person = await provider.addPerson(["family"]);
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
        const { claims, callback, tokens } = await signIn(
          browser,
          { ...app, redirectUri },
          person,
          { ...parameters, redirect_uri: redirectUri },
        );
        assert.ok(callback.href.startsWith(redirectUri), callback.href);
        assert.equal(claims.sub, person.id);
        const info = await client.fetchUserInfo(app.client, tokens.access_token, claims.sub);
        for (const claim of ["preferred_username", "name", "groups"] as const) {
          if (way.claims[claim] === undefined) continue;
          assert.ok(info[claim] !== undefined, `${claim} for the scopes ${way.scopes}`);
        }
        if (way.scopes.includes("offline_access")) assert.ok(tokens.refresh_token);
      }

      const { url } = await startSignIn(app, { ...parameters, redirect_uri: `${URL_OF_APP}/evil` });
      const refused = await browser.visit(url);
      assert.deepEqual([refused.url.origin, refused.status], [ISSUER, 400]);

      for (const target of signOutRedirects) {
        const { tokens } = await signIn(browser, app, person, parameters);
        const end = new URL(String(app.client.serverMetadata().end_session_endpoint));
        end.search = new URLSearchParams({
          id_token_hint: tokens.id_token ?? "",
          post_logout_redirect_uri: target,
        }).toString();
        const page = await browser.visit(end);
        assert.ok(page.url.href.startsWith(target), page.url.href);
      }
    });
  }
}
