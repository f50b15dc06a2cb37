/** Writes the generated pages of docs/reference: `npm run docs`. A test fails when one is stale. */
import { mkdir, writeFile } from "node:fs/promises";
import type { CommandEntry } from "./src/cli/command.ts";
import { commands } from "./src/cli/commands.ts";
import { operandText } from "./src/cli/help.ts";
import type { Setting } from "./src/gate/settings/entry.ts";
import { settings } from "./src/gate/settings/table.ts";

const REFERENCE = new URL("docs/reference/", import.meta.url);

function settingsPage(): string {
  const groups = Map.groupBy(settings, ({ group }) => group);
  return `# Settings

Configure the gate (\`latchkey serve\`) and the commands that use its data. Set each one in the environment, in a file named with \`--env-file\`, or as a flag in lower case with dashes (\`--port\` for \`PORT\`). A flag wins over the environment, and the environment over the file. An empty value counts as unset.

\`\`\`sh
HOST=0.0.0.0 PUBLIC_URL=https://auth.example.org latchkey serve --port 8080
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

Run the gate and manage it on the command line. In a checkout, run \`npm run --silent latchkey -- <command>\`; installed, \`latchkey <command>\`. \`--help\` after a command explains its options, lists the [settings](settings.md) it uses, and shows examples.

${tables.join("\n\n")}

Exit codes: 0 for success, 1 for a failure, 2 for wrong usage. Stop the gate for \`restore\` and \`copy\`; the other commands work while it runs.

More: [accounts](../accounts.md), [backup](../backup.md), [doctor](../doctor.md), [logs](../logs.md).
`;
}

async function commandsTable(entries: readonly CommandEntry[]): Promise<string> {
  const rows = await Promise.all(
    entries.map(async ({ name, summary, load }) => {
      const { operands = [], options = [] } = (await load()).command;
      const usage = [name, ...operands.map(operandText)].join(" ");
      const flags = options.map((option) => `\`--${option.name}\``).join(", ");
      return `| \`${usage}\` | ${summary} | ${flags} |`;
    }),
  );
  return ["| command | purpose | options |", "|---|---|---|", ...rows].join("\n");
}

/** The generated pages by their file name. */
export async function referencePages(): Promise<Readonly<Record<string, string>>> {
  return { "settings.md": settingsPage(), "commands.md": await commandsPage() };
}

if (import.meta.main) {
  await mkdir(REFERENCE, { recursive: true });
  for (const [name, text] of Object.entries(await referencePages())) {
    await writeFile(new URL(name, REFERENCE), text);
  }
}
