import assert from "node:assert/strict";
import { createFields } from "../../src/recipes/fill-recipe.ts";
import type { OidcWay } from "../../src/recipes/recipe.ts";
import { listRecipeIds, readRecipe } from "../../src/recipes/recipe-files.ts";
import type { Registration } from "./site.ts";

/** A recipe whose app uses a client library that runs here. */
export interface LibraryRecipe {
  readonly id: string;
  readonly registration: Pick<Registration, "callback" | "signedOut" | "settingsFor">;
  /** What the recipe says that the library is told, as variables of the environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Returns the recipes of the apps that use this library with a secret. */
export function listRecipesOf(library: string): readonly LibraryRecipe[] {
  const found = listRecipeIds().flatMap((id) => {
    const recipe = readRecipe(id);
    const way = recipe?.ways.find(
      (one): one is OidcWay => one.way === "oidc" && one.library?.name === library,
    );
    if (recipe === undefined || way === undefined || way.client === "public") return [];
    const [redirect = ""] = way.redirects;
    const callback = redirect.replace("{url}", "");
    const settingsFor = (url: string) => {
      const { name: _, section: __, ...fields } = createFields({ ...recipe, ways: [way] }, url);
      return fields;
    };
    const env = {
      CALLBACK: callback,
      SCOPE: way.scopes.join(" "),
      CLIENT: way.client,
      ...(way.pkce !== "never" && { PKCE: "S256" }),
    };
    return [{ id, registration: { callback, signedOut: "/bye", settingsFor }, env }];
  });
  assert.ok(found.length > 0, library);
  return found;
}
