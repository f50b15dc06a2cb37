/** What the pages say about an app's own folder: what git must ignore in it, and Drizzle Kit. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { pages, text } from "./pages.ts";

const postgres = await sharedPostgres();

/** What pages write into the folder of the reader, who may commit it. Absolute paths are elsewhere. */
const WRITTEN = [
  /\bAUTH_SECRET=.* > (\.?[a-z][\w.-]*)/g,
  /\bwriteFile\("(\.?[a-z][\w.-]*)"/g,
  /\bVACUUM INTO '(\.?[a-z][\w.-]*)'/g,
  /\blatchkey export .*--to (\.?[a-z][\w.-]*)/g,
  /\bnpx --no latchkey backup (\.?[a-z][\w.-]*)/g,
];

/** A database has other files beside it while it is open. */
const DATABASE = /"([\w-]+\.db)"/g;

const namesIn = (page: string, pattern: RegExp): readonly string[] =>
  [...page.matchAll(pattern)].map(([, name = ""]) => name);

const codeIn = (page: string): string =>
  [...page.matchAll(/^```(?:ts|js)\n([\s\S]*?)^```/gm)].map(([, code]) => code).join("\n");

function secretFilesOn(page: string): readonly string[] {
  const databases = namesIn(codeIn(page), DATABASE).map((name) => `${name}*`);
  return [...databases, ...WRITTEN.flatMap((pattern) => namesIn(page, pattern))];
}

test("every page names in a line for .gitignore what it writes into the folder of an app", () => {
  const found = new Set<string>();
  for (const file of pages) {
    const page = text(file);
    const ignoring = page.split("\n").filter((line) => line.includes("`.gitignore`"));
    for (const name of secretFilesOn(page)) {
      found.add(name);
      assert.ok(
        ignoring.some((line) => line.includes(`\`${name}\``)),
        `${file}: ${name}`,
      );
    }
  }
  const all = [".env", "accounts.db*", "alice.json", "before.db", "copy.db", "users.json"];
  assert.deepEqual([...found].sort(), all);
});

test("every page with a framework leads to how to keep Latchkey's tables", () => {
  assert.match(text("docs/users.md"), /^ {2}tablesFilter: \["!latchkey_\*"\],$/m);
  const about = pages.filter((file) => file.startsWith("docs/frameworks/"));
  assert.ok(about.length > 10);
  for (const file of [...about, "docs/scaling.md"]) {
    assert.match(
      text(file),
      /\[exclude Latchkey's tables\]\((\.\.\/)?users\.md#with-drizzle\)/,
      file,
    );
  }
});

test("the filter for Drizzle Kit excludes all that Latchkey creates", async () => {
  const { pathname } = new URL(await postgres.newStoreDatabase());
  const created = await postgres.sql(
    `SELECT relname FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f')`,
    pathname.slice(1),
  );
  const names = created.map(({ relname }) => String(relname));
  assert.ok(names.includes("latchkey_users"));
  for (const name of names) assert.match(name, /^latchkey_/);
});
