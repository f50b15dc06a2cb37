/**
 * Tries a recipe: `npm run recipe -- try recipes/NAME.json`. Checks it by the schema, signs a person
 * in with its values, and prints what `latchkey app add --recipe` would.
 */
import { existsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";
import { fillRecipe } from "../../src/recipes/fill-recipe.ts";
import { formatInstructions } from "../../src/recipes/format-recipe.ts";
import { readRecipe } from "../../src/recipes/recipe-files.ts";

const FOLDER = fileURLToPath(new URL("../../recipes", import.meta.url));
const USAGE = `Usage: npm run recipe -- try recipes/NAME.json
The name has lower-case letters, digits and hyphens, and the file is in ${FOLDER}.`;

const [command, file = ""] = process.argv.slice(2);
const id = basename(file, ".json");
const isRecipe = command === "try" && file.endsWith(".json") && dirname(resolve(file)) === FOLDER;
if (!isRecipe || !existsSync(file)) {
  console.error(USAGE);
  process.exit(2);
}

const tests = ["facts", "sign-in"].map((name) =>
  fileURLToPath(new URL(`${name}.test.ts`, import.meta.url)),
);
const results = run({ files: tests, testNamePatterns: [`^${id}: `, "^the recipes"] });
results.on("test:fail", () => {
  process.exitCode = 1;
});
results.on("end", () => {
  const recipe = process.exitCode === 1 ? undefined : readRecipe(id);
  if (recipe === undefined) return;
  const filled = fillRecipe(recipe, {
    url: `https://${id}.example.org`,
    issuer: "https://auth.example.org",
    clientId: id,
    clientSecret: "the client secret",
  });
  for (const way of filled.ways)
    process.stdout.write(`\n${formatInstructions(filled, way).join("\n")}\n`);
});
results.compose(spec).pipe(process.stdout);
