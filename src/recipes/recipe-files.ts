import { readdirSync, readFileSync } from "node:fs";
import type { Recipe } from "./recipe.ts";

// The single-file executable contains the files: `scripts/release/executable.ts` replaces this module.

const FOLDER = new URL("../../recipes/", import.meta.url);
const FILE = /^([a-z0-9-]+)\.json$/;

/** Recipes stay the same while the process runs, and are read on first use. */
const recipes = new Map<string, Recipe>();

/** Returns the IDs of all recipes, in their order. */
export function listRecipeIds(): readonly string[] {
  if (recipes.size === 0) {
    for (const file of readdirSync(FOLDER).sort()) {
      const [, id] = FILE.exec(file) ?? [];
      if (id !== undefined)
        recipes.set(id, JSON.parse(readFileSync(new URL(file, FOLDER), "utf8")));
    }
  }
  return [...recipes.keys()];
}

/** Returns a recipe by its ID, which may come from a person. */
export function readRecipe(id: string): Recipe | undefined {
  listRecipeIds();
  return recipes.get(id);
}
