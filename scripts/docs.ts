/** Writes what is generated in docs: `npm run build -- docs`. A test fails when a page is stale. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import type { CommandEntry } from "../src/cli/command.ts";
import { commands } from "../src/cli/commands.ts";
import { formatOperand } from "../src/cli/help.ts";
import { command as proxy, renderProxy } from "../src/cli/proxy.ts";
import { parseUsage } from "../src/cli/usage.ts";
import { getTableName } from "../src/db/schema.ts";
import { listColumns, tables, toColumnName } from "../src/db/tables.ts";
import type { Setting } from "../src/gate/settings/entry.ts";
import { readSettings } from "../src/gate/settings/settings.ts";
import { settings } from "../src/gate/settings/table.ts";
import { keyIcon } from "../src/http/assets.ts";
import { createAccent, DEFAULT_ACCENT } from "../src/pages/accent-color.ts";
import { CLIENT_HEADERS } from "../src/proxies/client-headers.ts";
import { fillRecipe } from "../src/recipes/fill-recipe.ts";
import { formatInstructions } from "../src/recipes/format-recipe.ts";
import type { Recipe, Way } from "../src/recipes/recipe.ts";
import { listRecipeIds, readRecipe } from "../src/recipes/recipe-files.ts";
import { formatApplySchema } from "./apply-schema.ts";

const DOCS = new URL("../docs/", import.meta.url);

function settingsPage(): string {
  const groups = Map.groupBy(settings, ({ group }) => group);
  return `# Settings

Configure the gate (\`latchkey serve\`) and the commands that use its data. Set each one in the environment, in a file named with \`--env-file\`, or as a flag in lower case with dashes (\`--port\` for \`PORT\`). A flag wins over the environment, and the environment over the file. An empty value counts as unset.

\`\`\`sh
AUTH_SECRET_FILE=secret HOST=0.0.0.0 PUBLIC_URL=https://auth.example.org latchkey serve --port 8080
\`\`\`

${[...groups].map(([group, list]) => `## ${group}\n\n${settingsTable(list)}`).join("\n\n")}

## Secrets outside the environment

${listed(settings.filter(({ flag }) => flag === "none").map(({ name }) => `\`${name}\``))} are not flags, and \`--database-url\` rejects a URL with a password, because every user of the machine can read the command line. The \`_FILE\` settings read a secret from a file of its own.

## Invalid settings

An invalid value, an unknown name that starts with \`LATCHKEY_\`, and a line of the env file that is not \`NAME=value\` stop the command with one line for each problem and exit code 2. A name that is nearly a setting gets a warning, and so does any unknown name in the env file. Messages never repeat a secret.

More: [accepted hosts and deployment](../deploy/README.md), [HTTPS](../https.md), [several instances](../scaling.md), [commands](commands.md).
`;
}

const settingsTable = (list: readonly Setting[]): string =>
  [
    "| setting | accepts | default | purpose |",
    "|---|---|---|---|",
    ...list.map(
      ({ name, takes, fallback, about }) => `| \`${name}\` | ${takes} | ${fallback} | ${about} |`,
    ),
  ].join("\n");

const listed = (words: readonly string[]): string =>
  new Intl.ListFormat("en", { type: "conjunction" }).format(words);

async function commandsPage(): Promise<string> {
  const groups = Map.groupBy(commands, ({ group }) => group);
  const tables = await Promise.all(
    [...groups].map(async ([group, list]) => `## ${group}\n\n${await commandsTable(list)}`),
  );
  return `# Commands

Run the gate and manage it. \`latchkey <command> --help\` explains the options, lists the [settings](settings.md) and shows examples. In a checkout, write \`npm run --silent latchkey --\` in place of \`latchkey\`.

${tables.join("\n\n")}

Exit codes: 0 for success, 1 for a failure, 2 for wrong usage. Stop the gate for \`restore\` and \`copy\` only.
`;
}

async function commandsTable(entries: readonly CommandEntry[]): Promise<string> {
  const rows = await Promise.all(
    entries.map(async ({ name, summary, load }) => {
      const { operands = [], options = [] } = (await load()).command;
      const usage = [name, ...operands.map(formatOperand)].join(" ");
      const flags = options.map((option) => `\`--${option.name}\``).join(", ");
      return `| \`${usage}\` | ${summary} | ${flags} |`;
    }),
  );
  return ["| command | purpose | options |", "|---|---|---|", ...rows].join("\n");
}

/** What `latchkey proxy` prints, with the settings in this text. */
export function printedBy(args: readonly string[], settings: string): string {
  const options = parseUsage("proxy", proxy, args);
  const env = parseEnv(settings);
  const reading = readSettings({ flags: {}, envFile: undefined, env });
  if (options === "help" || reading.problems.length > 0) throw new Error(args.join(" "));
  return renderProxy(String(options.proxy), reading.settings, options).text;
}

/** The arguments after `latchkey proxy` in a block of a page. */
export const argumentsIn = (block: string): readonly string[] =>
  block.replaceAll("\\\n", "").trim().split(/\s+/).slice(2);

/** A command in a page, and right below it the block with what it prints. */
const PRINTED = /^```sh\n(latchkey proxy .*?)^```\n\n```(\w+)\n.*?^```$/gms;

/** A page with what its commands print, for the settings that are the last ones above each. */
const withConfigurations = (page: string): string =>
  page.replace(PRINTED, (_, command: string, language: string, at: number) => {
    const above = [...page.slice(0, at).matchAll(/^```sh\n([A-Z_]+=.*?)^```/gms)];
    const printed = printedBy(argumentsIn(command), above.at(-1)?.[1] ?? "");
    return `\`\`\`sh\n${command}\`\`\`\n\n\`\`\`${language}\n${printed}\`\`\``;
  });

/** The key of the pages, for the README: with a title, since a file of its own has no text beside it. */
function drawLogo(): string {
  return keyIcon(createAccent(DEFAULT_ACCENT)).replace(
    "<style>",
    "<title>Latchkey</title>\n<style>",
  );
}

/** The model of Latchkey's users for Prisma: the columns that each user has, without the hash. */
function prismaModel(): string {
  const [key, ...others] = listColumns(tables.users)
    .filter(([, { optional, secret }]) => optional !== true && secret !== true)
    .map(([field, { unique }]) => [toColumnName(field), unique === true ? " @unique" : ""]);
  const width = Math.max(...others.map(([name = ""]) => name.length));
  const field = (name = "", attributes = ""): string =>
    `  ${name.padEnd(width)} String${attributes}`;
  return [
    "model LatchkeyUser {",
    field(key?.[0], " @id"),
    ...others.map(([name, attributes]) => field(name, attributes)),
    `  ${"notes".padEnd(width)} Note[]`,
    "",
    `  @@map("${getTableName("users")}")`,
    "}",
  ].join("\n");
}

/** A page with the model of Latchkey's users. */
const withPrismaModel = (page: string): string =>
  page.replace(/^model LatchkeyUser \{\n.*?^\}$/ms, prismaModel);

const CONFIGURED = ["caddy", "haproxy", "nginx", "traefik"];

const COMPOSE = "--auth-host auth.example.org --app app.example.org=http://app:80".split(" ");

/** What `latchkey proxy` prints for the hosts of the files for Compose. */
const printForCompose = (name: string): string => printedBy([name, ...COMPOSE], "HOST=latchkey");

/** The file for Compose, with the configuration of Caddy at its end. */
async function composeFile(): Promise<string> {
  const file = await readFile(new URL("deploy/compose.yaml", DOCS), "utf8");
  const [start = ""] = file.split(/(?<=^ {4}content: \|\n)/m);
  const indented = printForCompose("caddy")
    .replaceAll("$", "$$$$")
    .replace(/^(?=.)/gm, "      ");
  return start + indented;
}

/** The file for Compose with Traefik, with the labels of the middlewares below their comment. */
async function composeTraefikFile(): Promise<string> {
  const file = await readFile(new URL("deploy/compose.traefik.yaml", DOCS), "utf8");
  const labels = listMiddlewareLabels(printForCompose("traefik")).map(
    (label) => `      ${label}\n`,
  );
  return file.replace(
    /(^ +# The middlewares that .*\n)(^ {6}.*\n)*/m,
    (_, comment: string) => comment + labels.join("").replaceAll("$", "$$$$"),
  );
}

/** The middlewares of a configuration of Traefik as labels, whose names are the paths in the file. */
function listMiddlewareLabels(configuration: string): readonly string[] {
  const [, middlewares = ""] = /^ {2}middlewares:\n((?: {4}.*\n)+)/m.exec(configuration) ?? [];
  const path: string[] = [];
  return [...middlewares.matchAll(/^( +)([^:]+):(?: (.*))?$/gm)].flatMap(
    ([, indent = "", name = "", value]) => {
      path.splice(indent.length / 2 - 2, Number.POSITIVE_INFINITY, name);
      if (value === undefined) return [];
      const text = value.replace(/^\[(.*)\]$/, "$1").replaceAll(", ", ",");
      return [`traefik.http.middlewares.${path.join(".")}: ${text}`];
    },
  );
}

/** The manifest for Traefik, with the headers that its configuration removes. */
async function traefikManifest(): Promise<string> {
  const file = await readFile(new URL("deploy/kubernetes/traefik.yaml", DOCS), "utf8");
  const printed = printedBy(["traefik", "--app", "app.example.org=http://app"], "");
  const list = /^ +customRequestHeaders:\n((?: +\S+: ""\n)+)/m;
  const [, headers = ""] = list.exec(printed) ?? [];
  const lines = headers.replaceAll(/^ +/gm, " ".repeat(6));
  return file.replace(list, `    customRequestHeaders:\n${lines}`);
}

/** Envoy Gateway removes these before it asks the gate, so those that the gate sets are among them. */
const REMOVED_BY_ENVOY = [
  ...["Remote-User", "Remote-User-Id", "Remote-Groups", "Remote-Name", "Remote-Email"],
  ...["Latchkey-Assertion", ...CLIENT_HEADERS],
];

/** The API of Envoy Gateway accepts this many names in a list. */
const MAX_REMOVED = 64;

async function envoyManifest(): Promise<string> {
  const file = await readFile(new URL("deploy/kubernetes/envoy-gateway.yaml", DOCS), "utf8");
  const names = REMOVED_BY_ENVOY.slice(0, MAX_REMOVED).join(", ");
  const matches = REMOVED_BY_ENVOY.slice(MAX_REMOVED).map(
    (name) => `{ value: ${name.toLowerCase()} }`,
  );
  return file
    .replace(/^ {6}remove: .*$/m, `      remove: [${names}]`)
    .replace(/^ {6}removeOnMatch: .*$/m, `      removeOnMatch: [${matches.join(", ")}]`);
}

const WAYS: Readonly<Record<Way["way"], string>> = {
  oidc: "OpenID Connect",
  headers: "Headers",
  proxy: "The proxy alone",
};

/** A page with what `latchkey app add --recipe` prints, once for each way to sign in. */
function recipePage(id: string, recipe: Recipe): string {
  const url = `https://${id}.example.org`;
  const values = {
    url,
    issuer: "https://auth.example.org",
    clientId: id,
    clientSecret: "the client secret",
  };
  const filled = fillRecipe(recipe, values);
  const ways = filled.ways.map((way, index) => {
    const choice = index === 0 ? "" : ` --way ${way.way}`;
    const command = `latchkey app add --recipe ${id} --url ${url}${choice}`;
    const printed = formatInstructions(filled, way).join("\n");
    return `## ${WAYS[way.way]}

\`\`\`sh
${command}
\`\`\`

\`\`\`text
${printed}
\`\`\``;
  });
  return `# ${recipe.name}

Sign people in to ${recipe.name} (${recipe.summary}) with Latchkey. The command adds the app and prints what to enter in it.

${ways.join("\n\n")}
`;
}

function recipesPage(recipes: readonly (readonly [string, Recipe])[]): string {
  const sections = Map.groupBy(recipes, ([, { section }]) => section);
  const tables = [...sections].sort().map(([section, list]) => {
    const rows = list.map(([id, { name, summary, unconfirmed }]) => {
      const mark = unconfirmed === undefined ? "" : " †";
      return `| [${name}](${id}.md)${mark} | ${summary} |`;
    });
    return `## ${section}

| app | for |
|---|---|
${rows.join("\n")}`;
  });
  return `# Recipes

Find your app, and let it sign people in by one command. With a †, something is unconfirmed. [Another app](../apps.md), [a recipe of your own](../../CONTRIBUTING.md).

${tables.join("\n\n")}
`;
}

function recipePages(): Readonly<Record<string, string>> {
  const recipes = listRecipeIds().map((id) => {
    const recipe = readRecipe(id);
    if (recipe === undefined) throw new Error(id);
    return [id, recipe] as const;
  });
  return {
    "apps/recipes.md": recipesPage(recipes),
    ...Object.fromEntries(
      recipes.map(([id, recipe]) => [`apps/${id}.md`, recipePage(id, recipe)] as const),
    ),
  };
}

/** What is generated, by its path in docs. */
export async function generatedPages(): Promise<Readonly<Record<string, string>>> {
  const pages = CONFIGURED.map(async (name) => {
    const path = `proxies/${name}.md`;
    return [path, withConfigurations(await readFile(new URL(path, DOCS), "utf8"))] as const;
  });
  return {
    "users.md": withPrismaModel(await readFile(new URL("users.md", DOCS), "utf8")),
    "reference/settings.md": settingsPage(),
    "reference/commands.md": await commandsPage(),
    "reference/apply.schema.json": formatApplySchema(),
    "deploy/compose.yaml": await composeFile(),
    "deploy/compose.traefik.yaml": await composeTraefikFile(),
    "deploy/kubernetes/traefik.yaml": await traefikManifest(),
    "deploy/kubernetes/envoy-gateway.yaml": await envoyManifest(),
    "pages/key.svg": drawLogo(),
    ...Object.fromEntries(await Promise.all(pages)),
    ...recipePages(),
  };
}

if (import.meta.main) {
  await mkdir(new URL("apps/", DOCS), { recursive: true });
  for (const [path, text] of Object.entries(await generatedPages())) {
    await writeFile(new URL(path, DOCS), text);
  }
}
