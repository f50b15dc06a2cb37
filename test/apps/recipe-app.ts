import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { createFields, fillRecipe } from "../../src/recipes/fill-recipe.ts";
import { listLines } from "../../src/recipes/format-recipe.ts";
import type { OidcWay } from "../../src/recipes/recipe.ts";
import { readRecipe } from "../../src/recipes/recipe-files.ts";
import { type Registration, type Site, startSite } from "../clients/site.ts";
import { runCommand } from "../support/command.ts";
import { SECRET } from "../support/gate.ts";

/** A gate, a browser, and an app that was added by its recipe and is not running yet. */
export interface RecipeSite extends Site {
  /** The path at which a sign-in begins, by the recipe. */
  readonly start: string | undefined;
  /** Returns what the recipe says to enter in a file of the app. */
  linesOf(file: string): readonly string[];
  /** Lists what the recipe says to enter in the environment of the app. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Adds the app of a recipe to a new gate, and fills in the recipe. */
export async function startRecipeSite(
  t: TestContext,
  id: string,
  more: Pick<Registration, "appScheme" | "expected" | "scheme"> = {},
): Promise<RecipeSite> {
  const recipe = readRecipe(id);
  const way = recipe?.ways.find((one): one is OidcWay => one.way === "oidc");
  assert.ok(recipe !== undefined && way !== undefined, id);
  const settingsFor = (url: string) => {
    const { name: _, section: __, ...fields } = createFields({ ...recipe, ways: [way] }, url);
    return fields;
  };
  const site = await startSite(t, { callback: "", signedOut: "", settingsFor, ...more });
  const { ISSUER: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = site.settings;
  const values = { url: site.appUrl, issuer, clientId, clientSecret };
  const [{ enter }] = fillRecipe({ ...recipe, ways: [way] }, values).ways;
  return {
    ...site,
    start: recipe.start,
    environment: Object.assign(
      {},
      ...enter.map((each) => ("environment" in each ? each.environment : {})),
    ),
    linesOf(file) {
      const entry = enter.find((each) => "file" in each && each.file === file);
      assert.ok(entry, `the recipe ${id} has no file ${file}`);
      return listLines(entry);
    },
  };
}

/** Runs a command of the operator of the gate. */
export async function operate(
  { gate, issuer }: Pick<Site, "gate" | "issuer">,
  given: { readonly input?: string },
  ...args: readonly string[]
): Promise<string> {
  const env = { DATA_DIR: gate.dataDir, PUBLIC_URL: issuer, AUTH_SECRET: SECRET };
  const { code, stdout, stderr } = await runCommand(args, { env, ...given });
  assert.equal(code, 0, stderr + stdout);
  return stdout;
}
