import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { createCsvReader, csvLine } from "../../../src/cli/transfer/csv.ts";
import { linesOf, MAX_LINE_BYTES } from "../../../src/cli/transfer/text-lines.ts";

/** By the line of each record, its fields or its problem. */
type Read = Readonly<Record<number, readonly string[] | string>>;

/** All records of a text that arrives in pieces of this many bytes. */
async function read(text: string | Buffer, pieceSize = 7): Promise<Read> {
  const bytes = Buffer.from(text);
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += pieceSize) yield bytes.subarray(at, at + pieceSize);
  }
  const reader = createCsvReader();
  const records: Record<number, readonly string[] | string> = {};
  for await (const lines of linesOf(pieces())) {
    for (const line of lines) {
      const record = reader.read(line);
      if (record === undefined) continue;
      assert.ok(!(record.line in records), "one record for a line");
      records[record.line] = record.problem ?? record.fields;
    }
  }
  reader.end();
  return records;
}

const texts: readonly (readonly [what: string, text: string, records: Read])[] = [
  ["plain fields", "a,b\nc,d\n", { 1: ["a", "b"], 2: ["c", "d"] }],
  ["no line feed at the end", "a,b", { 1: ["a", "b"] }],
  ["the line ends of Windows", "a,b\r\nc,d\r\n", { 1: ["a", "b"], 2: ["c", "d"] }],
  ["empty fields", ",,\n", { 1: ["", "", ""] }],
  ["spaces, which belong to the fields", " a , b \n", { 1: [" a ", " b "] }],
  ["a comma in quotes", '"a,b",c\n', { 1: ["a,b", "c"] }],
  ["quotes in quotes", '"a ""b"" c",""""\n', { 1: ['a "b" c', '"'] }],
  ["nothing in quotes", '"",""\n', { 1: ["", ""] }],
  ["lines in quotes", '"a\nb",c\r\n"d\r\ne",f\n', { 1: ["a\nb", "c"], 3: ["d\r\ne", "f"] }],
  ["a carriage return at the end of quotes", '"a\r"\n', { 1: ["a\r"] }],
  [
    "a quote within a field",
    'a"b,c\nd,e\n',
    { 1: "an unquoted field contains a quote", 2: ["d", "e"] },
  ],
  [
    "text behind quotes",
    '"a"b,c\nd,e\n',
    { 1: "there is text after a closing quote", 2: ["d", "e"] },
  ],
  [
    "a quote before what a spreadsheet would run, but no other quote",
    "'=1,'' +1,'t Hooft,'5,=1\n",
    { 1: ["=1", "' +1", "'t Hooft", "'5", "=1"] },
  ],
  ["a byte order mark", "\ufeffa,b\n", { 1: ["a", "b"] }],
  [
    "another such mark, which belongs to the field",
    "a,\ufeffb\n\ufeffc\n",
    { 1: ["a", "\ufeffb"], 2: ["\ufeffc"] },
  ],
];
for (const [what, text, records] of texts) {
  for (const pieceSize of [1, 3, 1_000]) {
    test(`${what}, in pieces of ${pieceSize}`, async () => {
      assert.deepEqual(await read(text, pieceSize), records);
    });
  }
}

test("reports what is not UTF-8, also inside quotes, and reads the next line", async () => {
  const bytes = Buffer.from('a,\xff\nb,c\n"d\n\xff\n",x\ne,f', "latin1");
  const problem = "it is not valid UTF-8";
  assert.deepEqual(await read(bytes), { 1: problem, 2: ["b", "c"], 3: problem, 6: ["e", "f"] });
});

test("stops reading after a quote that is never closed", async () => {
  await assert.rejects(read('a,b\n"c,d\ne,f\n'), (error: Error) =>
    error.message.startsWith("cannot read line 2 and the lines after it: "),
  );
});

const LONG = "x".repeat(MAX_LINE_BYTES + 1);
const LINE = `${"evil,".repeat(200)}user\n`;
const MANY = 17_000;
const TOO_LONG = "it is longer than 16 MiB";
const tooLong: readonly (readonly [what: string, text: string, problem: string])[] = [
  ["a line of more than 16 MiB", LONG, TOO_LONG],
  ["one with quotes and commas", `"a ""b""","${LONG}","" ,x`, TOO_LONG],
  ["one in the middle of quotes", `"a\n${LONG},""\nb",c`, `${TOO_LONG}, up to line 4`],
  ["one that opens quotes", `${LONG.slice(2)},"a\nevil,user\n""\n",b`, `${TOO_LONG}, up to line 5`],
  ["one that closes quotes", `"a\nevil,user\n${LONG}"`, `${TOO_LONG}, up to line 4`],
  ["many lines in quotes", `"${LINE.repeat(MANY)}"`, `${TOO_LONG}, up to line ${MANY + 2}`],
  ["misplaced quotes", `"${LINE.repeat(MANY)}"x`, `${TOO_LONG}, up to line ${MANY + 2}`],
];
for (const [what, text, problem] of tooLong) {
  test(`skips ${what}, and reads on behind it`, async () => {
    const next = text.split("\n").length + 2;
    const records = { 1: ["a", "b"], 2: problem, [next]: ["c", "d"] };
    assert.deepEqual(await read(`a,b\n${text}\nc,d\n`, 65_536), records);
  });
}

test("keeps nothing of a line that is too long", async () => {
  const piece = Buffer.alloc(1_048_576, `"${"x".repeat(63)}`);
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let n = 0; n < 200; n += 1) yield piece;
  }
  const before = process.memoryUsage().arrayBuffers;
  for await (const lines of linesOf(pieces())) {
    assert.deepEqual(lines, [{ number: 1, text: "", problem: "too-long" }]);
  }
  assert.ok(process.memoryUsage().arrayBuffers - before < 10 * piece.length);
});

test("reads any fields that it has written, and writes none that a spreadsheet would run", async () => {
  const field = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom(...'",\r\n a') }),
    fc.string({ unit: fc.constantFrom(..."'=+-@＝\t\r\n a"), maxLength: 4 }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 9 }),
      async (records, pieceSize) => {
        const start = records[0]?.[0];
        fc.pre(start !== undefined && !start.startsWith("\ufeff"));
        for (const one of records.flat())
          assert.doesNotMatch(csvLine([one]), /^"?\s*[=+\-@＝＋－＠\t\r\n]/u);
        const text = records.map((fields) => `${csvLine(fields)}\n`).join("");
        const found = await read(text, pieceSize);
        assert.deepEqual(Object.values(found), records);
      },
    ),
  );
});

/** As another implementation reads the text; `undefined` if it rejects it. */
function otherwiseRead(text: string): readonly (readonly string[])[] | undefined {
  const delimiters = { bom: true, record_delimiter: ["\n", "\r\n"], relax_column_count: true };
  try {
    return parse(text, { ...delimiters, skip_empty_lines: false });
  } catch {
    return undefined;
  }
}

/** It knows nothing of the quote before what a spreadsheet would run. */
const withoutGuard = (field: string): string =>
  /^'[\s']*[=+@\t\r\n-]/.test(field) ? field.slice(1) : field;

test("reads what another implementation reads, and reports what it rejects", async () => {
  const piece = fc.constantFrom(..."\",\n\r ab'=\ufeff", '""', '","', '"\r\n"', "\r\n", "é\0");
  const text = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(""));
  await fc.assert(
    fc.asyncProperty(text, async (csv) => {
      // For the other one, a byte order mark alone is not an empty record, and a carriage return at
      // the end of the file is not the start of a line end.
      fc.pre(csv !== "\ufeff" && !csv.endsWith("\r"));
      const others = otherwiseRead(csv);
      const own = await read(csv).then(Object.values, () => undefined);
      const isRejected = own === undefined || own.some((record) => typeof record === "string");
      assert.equal(isRejected, others === undefined);
      if (!isRejected)
        assert.deepEqual(
          own,
          others?.map((fields) => fields.map(withoutGuard)),
        );
    }),
    { numRuns: 3_000 },
  );
});
