import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { formatCsvLine, parseCsv } from "../../../src/cli/transfer/csv.ts";
import { anyCharacter } from "../../support/any-character.ts";

/** By the line of each record, its fields or its problem. */
type Read = Readonly<Record<number, readonly string[] | string>>;

function read(...pieces: readonly string[]): Read {
  const records: Record<number, readonly string[] | string> = {};
  for (const record of parseCsv(pieces)) {
    assert.ok(!(record.line in records), "one record for a line");
    records[record.line] = record.problem ?? record.fields;
  }
  return records;
}

const texts: readonly (readonly [what: string, text: string, records: Read])[] = [
  ["lines in quotes", '"a\nb",c\r\n"d\r\ne",f\n', { 1: ["a\nb", "c"], 3: ["d\r\ne", "f"] }],
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
];
for (const [what, text, records] of texts) {
  test(what, () => assert.deepEqual(read(text), records));
}

test("stops reading after a quote that is never closed", () => {
  const fault = /^Fault: cannot read line 2 and the lines after it: /;
  assert.throws(() => read('a,b\n"c,d\ne,f\n'), fault);
});

test("reads any fields that it has written, and writes none that a spreadsheet would run", () => {
  const field = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.string({ unit: fc.constantFrom(...'",\r\n a') }),
    fc.string({ unit: fc.constantFrom(..."'=+-@＝\t\r\n a"), maxLength: 4 }),
  );
  fc.assert(
    fc.property(
      fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
      (records) => {
        for (const one of records.flat())
          assert.doesNotMatch(formatCsvLine([one]), /^"?\s*[=+\-@＝＋－＠\t\r\n]/u);
        const text = records.map((fields) => `${formatCsvLine(fields)}\n`).join("");
        assert.deepEqual(Object.values(read(text)), records);
      },
    ),
  );
});

test("reads the same, however the text is cut into pieces", () => {
  const unit = fc.constantFrom(...'",\n\r a', '""', '","', "\r\n", '"a\nb"');
  const text = fc.array(unit, { maxLength: 20 }).map((units) => units.join(""));
  fc.assert(
    fc.property(text, fc.array(fc.nat(20), { maxLength: 6 }), (whole, cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), whole.length];
      const pieces = places.map((from, at) => whole.slice(from, places[at + 1]));
      assert.deepEqual(readOrFail(pieces), readOrFail([whole]));
    }),
    { numRuns: 1_000 },
  );
});

function readOrFail(pieces: readonly string[]): Read | string {
  try {
    return read(...pieces);
  } catch (error) {
    return String(error);
  }
}

/** As another implementation reads the text; `undefined` if it rejects it. */
function otherwiseRead(text: string): readonly (readonly string[])[] | undefined {
  const delimiters = { record_delimiter: ["\n", "\r\n"], relax_column_count: true };
  try {
    return parse(text, { ...delimiters, skip_empty_lines: false });
  } catch {
    return undefined;
  }
}

/** It knows nothing of the quote before what a spreadsheet would run. */
const withoutGuard = (field: string): string =>
  /^'[\s']*[=+@\t\r\n-]/.test(field) ? field.slice(1) : field;

function ownRead(text: string): readonly (readonly string[] | string)[] | undefined {
  try {
    return Object.values(read(text));
  } catch {
    return undefined;
  }
}

test("reads what another implementation reads, and reports what it rejects", () => {
  const piece = fc.constantFrom(..."\",\n\r ab'=", '""', '","', '"\r\n"', "\r\n", "é\0");
  const text = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(text, (csv) => {
      // For the other one, a carriage return at the end of the file is not the start of a line end.
      fc.pre(!csv.endsWith("\r"));
      const others = otherwiseRead(csv);
      const own = ownRead(csv);
      const isRejected = own === undefined || own.some((record) => typeof record === "string");
      assert.equal(isRejected, others === undefined);
      const expected = others?.map((fields) => fields.map(withoutGuard));
      if (!isRejected) assert.deepEqual(own, expected);
    }),
    { numRuns: 1_000 },
  );
});
