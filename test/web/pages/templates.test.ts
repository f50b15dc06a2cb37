import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { codeOf } from "../../../src/core/base/fault.ts";
import { faultOf } from "../../support/faults.ts";
import { folderWith, pagesFrom, plain, to } from "../../support/pages.ts";
import { tempDir } from "../../support/temp-dir.ts";

interface Broken {
  readonly file: string;
  readonly text: string;
  readonly line: number;
  readonly says: RegExp;
}

const broken: Readonly<Record<string, Broken>> = {
  "code that does not parse": {
    file: "setup.eta",
    text: "<p>\n<% if ( { %>\n</p>",
    line: 2,
    says: /^Unexpected token/,
  },
  "a tag that is not closed": {
    file: "home.eta",
    text: "<p>\n<%= it.CurrentUser.username \n</p>",
    line: 2,
    says: /^unclosed tag$/,
  },
  "an include of a missing template": {
    file: "login.eta",
    text: "<p>\n</p>\n<%~ include('@footer', {}) %>",
    line: 3,
    says: /@footer/,
  },
  "a missing value": {
    file: "login.eta",
    text: "<p>\r\n\r\n<%= it.CurrentUser.username %>",
    line: 3,
    says: /^Cannot read properties of undefined \(reading 'username'\)$/,
  },
  "a missing value, in the layout": {
    file: "layout.eta",
    text: "<html>\n<%= it.site.name %>\n<%~ it.body %>",
    line: 2,
    says: /reading 'name'/,
  },
  "a field that includes itself": {
    file: "field.eta",
    text: "<p>\n<%~ include('@field') %>",
    line: 2,
    says: /call stack/i,
  },
};

for (const [what, { file, text, line, says }] of Object.entries(broken)) {
  test(`stops the start and names ${file} and line ${line} for ${what}`, async (t) => {
    const folder = await folderWith(t, { [file]: text });
    const fault = faultOf(() => pagesFrom(folder));
    const where = `${join(folder, file)}:${line}: `;
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
