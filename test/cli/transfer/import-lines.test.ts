import assert from "node:assert/strict";
import { test } from "node:test";
import { type ImportFormat, parseImportLines } from "../../../src/cli/transfer/import-lines.ts";

/** Pieces of three bytes, which end in the middle of lines and characters. */
const inPieces = (content: Buffer): readonly Buffer[] =>
  Array.from({ length: Math.ceil(content.length / 3) }, (_, at) =>
    content.subarray(at * 3, at * 3 + 3),
  );

/** The number of each line with its fields, or with its problem. */
const read = (text: string | Buffer, format?: ImportFormat): readonly unknown[] =>
  [...parseImportLines(inPieces(Buffer.from(text)), format)].map((line) => [
    line.line,
    typeof line.fields === "string" ? line.fields : Object.fromEntries(line.fields),
  ]);

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
  test(what, () => assert.deepEqual(read(text), lines));
}

test("takes the username from another field, in CSV and in JSON", () => {
  const from = (text: string) =>
    [...parseImportLines([Buffer.from(text)], undefined, "Email")].map((line) =>
      typeof line.fields === "string" ? line.fields : line.fields.get("username"),
    );
  assert.deepEqual(from("username,email,password_hash\nann,ann@a.test,h\n"), ["ann@a.test"]);
  const emails = from('{"username":"ann","email":"ann@a.test","password_hash":"h"}');
  assert.deepEqual(emails, ["ann@a.test"]);
  assert.throws(() => from("username,password_hash\n"), { code: "import_header" });
});

const BCRYPT = "$2a$10$X5uV0zQ1oQ7XQk8cYyT4uO7n5Tq0m3c2x3i5Yc0o8cI1y5w3b9a7S";

test("reads lines of a name and a hash, and refuses a third field", () => {
  const doubled = BCRYPT.replaceAll("$", "$$$$");
  const lines = [`ann:${BCRYPT}`, "", `ben:${doubled}`, `c:${BCRYPT}:TOTP`, "d"];
  assert.deepEqual(read(lines.join("\n")), [
    [1, { username: "ann", passwordhash: BCRYPT }],
    [3, { username: "ben", passwordhash: BCRYPT }],
    [4, "a third field, such as one-time codes, cannot be imported"],
    [5, "it is not a username and a hash"],
  ]);
});

test("uses the given format without guessing", () => {
  assert.deepEqual(read('"a"\n', "json"), [[1, "it is not a JSON object"]]);
  assert.throws(() => read("{}\n", "csv"), /the first line must name the columns/);
});

const headers = ["username", "username;password_hash", "Action,Detail", "a,b"];
for (const header of [...headers, '"username,password_hash', '[{"username"']) {
  test(`refuses a first line without the required columns: ${header}`, () => {
    const fault = /the first line must name the columns|cannot read line/;
    assert.throws(() => read(`${header}\na,b\n`), fault);
  });
}

test("refuses a column that is named twice", () => {
  assert.throws(() => read(`${HEADER},Username\n`), /names a column twice/);
});

test("refuses UTF-16, and a file with a line that is not UTF-8", () => {
  for (const content of [
    Buffer.from(`\ufeff${HEADER}\n`, "utf16le"),
    Buffer.from('{"a":1}\n{"b":"\xc3("}\n{"c":1}\n', "latin1"),
  ]) {
    assert.throws(() => read(content), /the file is not valid UTF-8/);
  }
});

test("reads JSON lines and htpasswd lines as they come, and never all of them together", () => {
  for (const [line, fields] of [
    ['{"username":"a"}\n', 1],
    ["a:$apr1$b$c\n", 2],
  ] as const) {
    let asked = 0;
    const pieces = {
      *[Symbol.iterator]() {
        for (; asked < 10; asked += 1) yield Buffer.from(line);
      },
    };
    const lines = parseImportLines(pieces, undefined)[Symbol.iterator]();
    const { value } = lines.next();
    assert.equal(value?.fields.size, fields);
    assert.ok(asked <= 2, `${asked} pieces for the first line`);
    assert.equal([...{ [Symbol.iterator]: () => lines }].length, 9);
  }
});
