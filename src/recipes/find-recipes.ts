import type { Recipe } from "./recipe.ts";
import { listRecipeIds, readRecipe } from "./recipe-files.ts";

/** A recipe with its ID. */
export type ListedRecipe = Recipe & { readonly id: string };

/** Returns the recipes whose ID, name, purpose or heading have every word of the search. */
export function findRecipes(search: string): readonly ListedRecipe[] {
  const words = search.trim().toLowerCase().split(/\s+/);
  return listRecipeIds()
    .flatMap((id) => {
      const recipe = readRecipe(id);
      return recipe === undefined ? [] : [{ ...recipe, id }];
    })
    .filter(({ id, name, summary, section }) => {
      const text = `${id} ${name} ${summary} ${section}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
}
