import { readdirSync, readFileSync } from "node:fs";
import type { Recipe } from "./recipe.ts";

// The single-file executable contains the files: `release-tools/executable.ts` replaces this module.

const FOLDER = new URL("../../../recipes/", import.meta.url);
const FILE = /^([a-z0-9-]+)\.json$/;

/** Returns the IDs of all recipes, in their order. */
export const listRecipeIds = (): readonly string[] =>
  readdirSync(FOLDER)
    .flatMap((file) => FILE.exec(file)?.[1] ?? [])
    .sort();

/** Returns a recipe by its ID, which may come from a person. */
export function readRecipe(id: string): Recipe | undefined {
  const file = `${id}.json`;
  if (!FILE.test(file) || !listRecipeIds().includes(id)) return undefined;
  return JSON.parse(readFileSync(new URL(file, FOLDER), "utf8"));
}
