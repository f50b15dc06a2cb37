import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { codeOf } from "../../../src/core/base/fault.ts";
import { faultOf } from "../../support/faults.ts";
import { folderWith, pagesFrom, plain, to } from "../../support/pages.ts";
import { tempDir } from "../../support/temp-dir.ts";

const broken = [
  ["code that does not parse", "setup.eta", "<p>\n<% if ( { %>\n</p>", "", /^Unexpected token/],
  ["a tag that is not closed", "home.eta", "<p>\n<%= it.a \n</p>", 2, /^unclosed tag$/],
  ["a missing include", "login.eta", "<p>\n</p>\n<%~ include('@footer', {}) %>", 3, /@footer/],
  ["a missing value", "login.eta", "<p>\r\n\r\n<%= it.a.name %>", 3, /^Cannot .*reading 'name'\)$/],
  ["a missing value", "layout.eta", "<html>\n<%= it.a.name %>\n<%~ it.body %>", 2, /'name'/],
  ["an endless include", "field.eta", "<p>\n<%~ include('@field') %>", 2, /call stack/i],
] as const;

for (const [what, file, text, line, says] of broken) {
  test(`stops the start and names ${file}${line && ` and line ${line}`} for ${what}`, async (t) => {
    const folder = await folderWith(t, { [file]: text });
    const fault = faultOf(() => pagesFrom(folder));
    const where = `${join(folder, file)}${line && `:${line}`}: `;
    assert.equal(fault.code, "page_broken");
    assert.ok(fault.message.startsWith(where), fault.message);
    assert.match(fault.message.slice(where.length), says);
    assert.doesNotMatch(fault.message, /\n/, "one line");
    assert.ok(fault.cause instanceof Error, "with its cause");
  });
}

test("refuses a template with an unknown name and lists the valid names", async (t) => {
  const folder = await folderWith(t, { "signin.eta": "<p>misspelt</p>" });
  const fault = faultOf(() => pagesFrom(folder));
  assert.equal(fault.code, "page_unknown");
  assert.ok(fault.message.includes(join(folder, "signin.eta")));
  const names = (/the names are (.*)$/.exec(fault.message)?.[1] ?? "").split(", ");
  for (const name of ["layout", "field", "login", "setup", "home", "error"]) {
    assert.ok(names.includes(`${name}.eta`), name);
  }
});

test("ignores other files in the folder", async (t) => {
  const folder = await folderWith(t, { "README.md": "notes", "login.eta~": "<% if ( { %>" });
  await mkdir(join(folder, "old"));
  assert.match(pagesFrom(folder).render("login", to(), plain.login), /<form/);
});

test("refuses a path that is missing or is not a folder, and names it", async (t) => {
  const folder = await folderWith(t, { file: "" });
  for (const path of [join(folder, "missing"), join(folder, "file")]) {
    const fault = faultOf(() => pagesFrom(path));
    assert.equal(fault.code, "pages_unreadable");
    assert.ok(fault.message.includes(path));
    assert.match(codeOf(fault.cause) ?? "", /^(ENOENT|ENOTDIR)$/);
  }
});

for (const file of ["login.eta", "layout.eta", "field.eta", "latchkey.css", "latchkey.js"]) {
  test(`refuses an unreadable ${file} in the folder and names it`, async (t) => {
    const folder = await tempDir(t);
    await mkdir(join(folder, file));
    const fault = faultOf(() => pagesFrom(folder));
    assert.equal(fault.code, "page_broken");
    assert.ok(fault.message.startsWith(`${join(folder, file)}: `), fault.message);
    assert.equal(codeOf(fault.cause), "EISDIR");
  });
}
