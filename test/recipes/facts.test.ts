import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { applyFields } from "../../src/features/apps/app-fields.ts";
import { createFields, fillRecipe } from "../../src/recipes/fill-recipe.ts";
import { formatInstructions } from "../../src/recipes/format-recipe.ts";
import type { Recipe } from "../../src/recipes/recipe.ts";
import { listRecipeIds, readRecipe } from "../../src/recipes/recipe-files.ts";

const FOLDER = new URL("../../recipes/", import.meta.url);
const schema = JSON.parse(readFileSync(new URL("recipe.schema.json", FOLDER), "utf8"));
const validate = new Ajv2020({ allErrors: true, strict: true, strictTypes: false }).compile(schema);

const VALUES = {
  url: "https://app.example.org/",
  issuer: "https://auth.example.org",
  clientId: "the-client",
  clientSecret: "the-secret",
};

/** Apps have placeholders of their own, such as `{{ name }}`. */
const PLACEHOLDER =
  /\{(url|host|issuer|discovery|authorization|token|userinfo|jwks|end_session|introspection\w*|client_\w+|proxy)\}/;

const read = (id: string): Recipe => {
  const recipe = readRecipe(id);
  assert.ok(recipe, id);
  return recipe;
};

for (const id of listRecipeIds()) {
  test(`${id}: is a recipe by the schema, and its app can be added`, () => {
    const recipe = read(id);
    assert.ok(validate(recipe), JSON.stringify(validate.errors, null, 2));
    const app = { id, name: recipe.name, createdAt: new Date(0) };
    for (const way of recipe.ways) {
      const applied = applyFields(app, createFields({ ...recipe, ways: [way] }, VALUES.url));
      assert.ok(!("kind" in applied), JSON.stringify(applied));
    }
    const filled = fillRecipe(recipe, VALUES);
    for (const way of filled.ways) {
      assert.doesNotMatch(formatInstructions(filled, way).join("\n"), PLACEHOLDER);
    }
  });
}

test("the recipes have a name of their own each", () => {
  const names = listRecipeIds().map((id) => read(id).name);
  assert.deepEqual(names, [...new Set(names)]);
});

test("the recipes and their schema are alone in their folder", () => {
  const files = listRecipeIds().map((id) => `${id}.json`);
  assert.deepEqual(readdirSync(FOLDER).sort(), [...files, "recipe.schema.json"].sort());
});

test("reads no other file by the ID of a recipe", () => {
  for (const id of ["", "..", "../package", "recipe.schema", "IMMICH", "immich.json", "immich\0"]) {
    assert.equal(readRecipe(id), undefined, id);
  }
});
