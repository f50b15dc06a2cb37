import assert from "node:assert/strict";
import { test } from "node:test";
import { type ImportFormat, importLines } from "../../../src/cli/transfer/import-lines.ts";
import { MAX_LINE_BYTES } from "../../../src/cli/transfer/text-lines.ts";

/** The number of each line with its fields, or with its problem. */
async function read(text: string | Buffer, format?: ImportFormat): Promise<readonly unknown[]> {
  async function* chunks(): AsyncGenerator<Buffer> {
    const bytes = Buffer.from(text);
    yield bytes.subarray(0, 5);
    yield bytes.subarray(5);
  }
  const lines: unknown[] = [];
  for await (const page of importLines(chunks(), format)) {
    for (const line of page) {
      lines.push([line.line, "problem" in line ? line.problem : Object.fromEntries(line.fields)]);
    }
  }
  return lines;
}

const HEADER = "username,password_hash";

const texts: readonly (readonly [string, string, readonly unknown[]])[] = [
  ["nothing has no lines", "", []],
  ["blank lines are none", "\n \r\n\n", []],
  ["a header alone has no lines", `${HEADER}\n`, []],
  [
    "CSV has the names of its header",
    `${HEADER}\na,b\n`,
    [[2, { username: "a", passwordhash: "b" }]],
  ],
  [
    "the columns come in any order, under any of their spellings, with others between",
    "Email,PasswordHash, ID ,Username\ne,h,1,u\n",
    [[2, { email: "e", passwordhash: "h", id: "1", username: "u" }]],
  ],
  [
    "blank lines and a byte order mark are passed over, and lines keep their numbers",
    `\ufeff\n${HEADER}\n\na,b\n\n`,
    [[4, { username: "a", passwordhash: "b" }]],
  ],
  [
    "a line with too few or too many fields is a problem",
    `${HEADER}\na\na,b,c\n,\n`,
    [
      [2, "it has 1 field instead of 2"],
      [3, "it has 3 fields instead of 2"],
      [4, { username: "", passwordhash: "" }],
    ],
  ],
  [
    "what begins with a brace is JSON lines",
    '\n  {"username":"a","Password_Hash":"b","id":null}\r\n\n{"Username":"c"}',
    [
      [2, { username: "a", passwordhash: "b", id: null }],
      [4, { username: "c" }],
    ],
  ],
  [
    "a line that is no JSON object is a problem, told without what stands in it",
    '{}\n{"secret\n"secret"\n["secret"]\nnull\n{"ID":1,"id":2}\n',
    [
      [1, {}],
      ...[2, 3, 4, 5].map((line) => [line, "it is not a JSON object"]),
      [6, "it has a field twice"],
    ],
  ],
];
for (const [what, text, lines] of texts) {
  test(what, async () => {
    assert.deepEqual(await read(text), lines);
  });
}

test("uses the given format without guessing", async () => {
  assert.deepEqual(await read('"a"\n', "json"), [[1, "it is not a JSON object"]]);
  await assert.rejects(read("{}\n", "csv"), /the first line must name the columns/);
});

for (const header of [
  "username",
  "username;password_hash",
  "Action,Detail",
  "a,b",
  '"username,password_hash',
  '[{"username"',
]) {
  test(`refuses a first line without the required columns: ${header}`, async () => {
    await assert.rejects(
      read(`${header}\na,b\n`),
      /the first line must name the columns|cannot read line/,
    );
  });
}

test("refuses a column that is named twice", async () => {
  await assert.rejects(read(`${HEADER},Username\n`), /names a column twice/);
});

test("refuses UTF-16", async () => {
  await assert.rejects(read(Buffer.from(`\ufeff${HEADER}\n`, "utf16le")), /must name the columns/);
});

test("reports JSON lines that are too long or not UTF-8 and reads the next one", async () => {
  const text = Buffer.concat([
    Buffer.from('{"a":1}\n{"b":"'),
    Buffer.from([0xc3, 0x28]),
    Buffer.from(`"}\n{"c":"${"x".repeat(MAX_LINE_BYTES)}"}\n{"d":1}\n`),
  ]);
  assert.deepEqual(await read(text), [
    [1, { a: 1 }],
    [2, "it is not valid UTF-8"],
    [3, "it is longer than 16 MiB"],
    [4, { d: 1 }],
  ]);
});

test("skips a first line that is too long, and detects the format from the next one", async () => {
  const long = "x".repeat(MAX_LINE_BYTES + 1);
  assert.deepEqual(await read(`{"a":"${long}"}\n{"b":1}\n`), [
    [1, "it is longer than 16 MiB"],
    [2, { b: 1 }],
  ]);
  assert.deepEqual(await read(`${HEADER}\n${long}\na,b\n`), [
    [2, "it is longer than 16 MiB"],
    [3, { username: "a", passwordhash: "b" }],
  ]);
  await assert.rejects(read(`${long}\na,b\n`), /the first line must name the columns/);
});
