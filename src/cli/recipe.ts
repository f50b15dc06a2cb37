import type { AppFields } from "../features/apps/app-fields.ts";
import { toPrintable } from "../lib/files/printable.ts";
import { findNearest } from "../lib/find-nearest.ts";
import { createFields, fillRecipe } from "../recipes/fill-recipe.ts";
import { findRecipes, type ListedRecipe } from "../recipes/find-recipes.ts";
import { formatInstructions } from "../recipes/format-recipe.ts";
import type { Recipe, RecipeValues, Way } from "../recipes/recipe.ts";
import { listRecipeIds, readRecipe } from "../recipes/recipe-files.ts";
import { quote } from "./accounts.ts";
import {
  type Command,
  type CommandOption,
  type OptionValues,
  SUCCESS,
  UsageError,
} from "./command.ts";
import { JSON_LINES, type Listing, startListing } from "./listing.ts";

const WAYS: Readonly<Record<Way["way"], string>> = {
  oidc: "OpenID Connect",
  headers: "headers",
  proxy: "proxy",
};

export const RECIPE_OPTIONS: readonly CommandOption[] = [
  {
    name: "recipe",
    value: "id",
    about: "what is known of this app; latchkey app recipes lists all",
  },
  {
    name: "way",
    value: "way",
    about: "how the app signs in, for a recipe with several; by default the first",
    completes: Object.keys(WAYS),
  },
];

export const recipes: Command = {
  details: "An app of the list is added with latchkey app add --recipe. The words search it.",
  operands: [{ name: "words", need: "optional" }],
  options: [JSON_LINES],
  settings: [],
  examples: ["latchkey app recipes", "latchkey app recipes photos"],

  async run(_, { words = "", json }, terminal) {
    const found = findRecipes(String(words));
    if (found.length === 0)
      return terminal.fail(
        `no recipe has the words ${quote(words)}; latchkey app recipes lists all`,
      );
    await startListing(listing, { json }, terminal)(found);
    return SUCCESS;
  },
};

const listing: Listing<ListedRecipe> = {
  columns: { ID: 0, NAME: 0, "SIGN-IN": 0, ABOUT: 0 },
  toCells: ({ id, name, summary, ways }) => [
    ...[id, name, ways.map(({ way }) => WAYS[way]).join(", "), summary],
  ],
  toObject: ({ id, name, summary, ways }) => {
    return { id, name, summary, ways: ways.map(({ way }) => way) };
  },
};

/** Contains a recipe that the operator has chosen. Its first way is the one to follow. */
export interface ChosenRecipe {
  readonly id: string;
  readonly recipe: Recipe;
}

/** Reads the recipe that the options name. */
export function readChosenRecipe({ recipe: id, way, url }: OptionValues): ChosenRecipe | undefined {
  if (id === undefined) {
    if (way !== undefined) throw new UsageError("--way is for an app with --recipe");
    return undefined;
  }
  const recipe = requireRecipe(String(id));
  if (typeof url !== "string" || url === "")
    throw new UsageError(`--recipe needs --url, the address at which people open ${recipe.name}`);
  return { id: String(id), recipe: way === undefined ? recipe : chooseWay(recipe, String(way)) };
}

/** Reads a recipe that the operator names. */
export function requireRecipe(id: string): Recipe {
  const recipe = readRecipe(id);
  if (recipe !== undefined) return recipe;
  const near = findNearest(listRecipeIds(), id);
  const hint = near === undefined ? "" : ` Did you mean ${quote(near)}?`;
  throw new UsageError(`there is no recipe ${quote(id)}.${hint} latchkey app recipes lists them`);
}

/** Returns the recipe with the wanted way alone. */
function chooseWay(recipe: Recipe, wanted: string): Recipe {
  const way = recipe.ways.find((one) => one.way === wanted);
  if (way !== undefined) return { ...recipe, ways: [way] };
  const ways = recipe.ways.map((one) => one.way).join(" or ");
  throw new UsageError(`${recipe.name} has no way ${quote(wanted)}: the recipe has ${ways}`);
}

export const createRecipeFields = ({ recipe }: ChosenRecipe, options: OptionValues): AppFields =>
  createFields(recipe, String(options.url));

/** Lists what the operator must enter in the app, and what else there is to know. */
export function listInstructions(
  { recipe }: ChosenRecipe,
  values: RecipeValues,
): readonly string[] {
  const filled = fillRecipe(recipe, values);
  return formatInstructions(filled, filled.ways[0]).map(toPrintable);
}
