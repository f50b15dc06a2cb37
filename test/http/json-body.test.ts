import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readJson } from "../../src/http/json-body.ts";
import { fetchRequest } from "../../src/index.ts";

const TYPE = "application/json";
const FIELDS = { name: "text", code: "text", flag: "flag" } as const;

function read(body: string | Uint8Array<ArrayBuffer>, type: string | null = TYPE) {
  const headers = type === null ? {} : { "Content-Type": type };
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const init = { method: "POST", body: new Uint8Array(bytes), headers };
  return readJson(fetchRequest(new Request("http://localhost/", init)), FIELDS);
}

async function values(body: string): Promise<readonly string[]> {
  const form = await read(body);
  assert.ok(typeof form === "function", `${body}: ${JSON.stringify(form)}`);
  return ["name", "code", "flag"].map((name) => form(name));
}

test("reads texts and flags, and ignores other fields", async () => {
  const bodies = {
    '{"name":"a","code":"","flag":true}': ["a", "", "1"],
    '{"flag":false}': ["", "", ""],
    ' {"name" : "a" , "other":[{"name":"b"}], "more":{"name":"c","code":"d"}}\n': ["a", "", ""],
    '{"x":"{\\"name\\":","name":"\\"}[:"}': ["", "", ""].with(0, '"}[:'),
    '{"name":"\\u0000\\ud83d\\ude00 é"}': ["\0😀 é", "", ""],
    "{}": ["", "", ""],
    "": ["", "", ""],
  };
  for (const [body, expected] of Object.entries(bodies)) {
    assert.deepEqual(await values(body), expected, body);
  }
});

test("takes application/json alone, also for an empty body", async () => {
  for (const type of [TYPE, "Application/JSON", `${TYPE}; charset=utf-8`, `${TYPE} ;x=y`]) {
    assert.equal(typeof (await read('{"name":"a"}', type)), "function", type);
  }
  const others = [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    `text/plain; ${TYPE}`,
    `${TYPE}, text/plain`,
    `${TYPE}x`,
    "application/ld+json",
    "text/json",
    "",
  ];
  for (const type of [...others, null]) {
    for (const body of ['{"name":"a"}', "", "name=a"]) {
      assert.equal(await read(body, type), "not-json", `${type} ${body}`);
    }
  }
});

test("takes an object alone, whose fields are there once", async () => {
  for (const body of [
    "null",
    "1",
    '"name"',
    "[]",
    '[{"name":"a"}]',
    "{",
    '{"name":"a"',
    "{'name':'a'}",
    '{"name":"a",}',
    '{"name":"a"}{"name":"a"}',
    '{"name":NaN}',
    '// comment\n{"name":"a"}',
    '{"name":"a\nb"}',
    '{"name":"a","name":"b"}',
    '{"name":"a","name":"a"}',
    '{"name":"a","n\\u0061me":"b"}',
    '{"other":1,"name":"a","other":{}}',
    '{"x":{"y":[1]},"name":"a","name" :"b"}',
  ]) {
    assert.equal(await read(body), "malformed", body);
  }
});

test("a text that is not well-formed is refused, because its bytes would equal another's", async () => {
  for (const half of ["\\ud800", "\\udfff", "a\\ud83d", "\\ude00\\ud83d"]) {
    assert.equal(await read(`{"name":"${half}"}`), "malformed", half);
  }
  for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]]) {
    const body = Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')]);
    assert.equal(await read(new Uint8Array(body)), "not-utf8", String(bytes));
  }
  assert.equal(await read(new Uint8Array(Buffer.from('{"name":"a"}', "utf16le"))), "malformed");
  assert.equal(await read('\ufeff{"name":"a"}'), "malformed");
});

test("names the fields whose values have another type", async () => {
  for (const value of ["1", "null", "true", "[]", '["a"]', '{"toString":"a"}', "{}"]) {
    const expected = { kind: "wrong-types", fields: ["name"] };
    assert.deepEqual(await read(`{"name":${value}}`), expected, value);
  }
  const all = '{"flag":"true","code":6,"name":[],"other":1}';
  const fields = ["name", "code", "flag"];
  assert.deepEqual(await read(all), { kind: "wrong-types", fields });
  for (const value of ["1", '"on"', "null", '""']) {
    const expected = { kind: "wrong-types", fields: ["flag"] };
    assert.deepEqual(await read(`{"flag":${value}}`), expected, value);
  }
});

test("takes no value from a prototype, and changes none", async () => {
  const bodies = [
    '{"__proto__":{"name":"a","flag":true}}',
    '{"constructor":{"prototype":{"name":"a"}}}',
    '{"__proto__":null,"toString":"x","hasOwnProperty":1}',
  ];
  for (const body of bodies) assert.deepEqual(await values(body), ["", "", ""], body);
  assert.equal(Object.hasOwn(Object.prototype, "name"), false);
  const form = await readJson(
    fetchRequest(
      new Request("http://localhost/", {
        method: "POST",
        body: "{}",
        headers: { "Content-Type": TYPE },
      }),
    ),
    { toString: "text", constructor: "text" } as const,
  );
  assert.ok(typeof form === "function");
  assert.deepEqual([form("toString"), form("constructor"), form("__proto__")], ["", "", ""]);
});

test("reads up to 64 KiB, whatever it contains", async () => {
  const wrap = (text: string) => `{"name":"a","other":${text}}`;
  const room = 65_536 - wrap("").length;
  const nested = "[".repeat(room / 2) + "]".repeat(room / 2);
  const objects = '{"a":'.repeat(5_000);
  for (const inner of [
    nested,
    `${objects}1${"}".repeat(5_000)}`,
    `"${"\\\\".repeat(room / 2 - 1)}"`,
    `"${" ".repeat(room - 2)}"`,
    `1${" ".repeat(room - 1)}`,
    `{${Array.from({ length: 5_000 }, (_, n) => `"f${n}":1`).join()}}`,
    `[${'"a",'.repeat(10_000)}1]`,
  ]) {
    assert.deepEqual(await values(wrap(inner)), ["a", "", ""], inner.slice(0, 20));
  }
  assert.equal(await read(wrap(`"${"x".repeat(room - 1)}"`)), "too-large");
  assert.equal(await read("[".repeat(65_536)), "malformed");
});

test("agrees with JSON.parse about every object", async () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  const object = fc.dictionary(fc.oneof(fc.constantFrom("name", "code"), fc.string()), value);
  await fc.assert(
    fc.asyncProperty(object, fc.constantFrom(0, 2), async (fields, indent) => {
      const body = JSON.stringify(fields, undefined, indent);
      const parsed: Readonly<Record<string, unknown>> = JSON.parse(body);
      const form = await read(body);
      const own = (name: string) => (Object.hasOwn(parsed, name) ? parsed[name] : "");
      const expected = [own("name"), own("code")];
      if (!expected.every((one) => typeof one === "string" && one.isWellFormed())) {
        assert.notEqual(typeof form, "function");
        return;
      }
      assert.ok(typeof form === "function", body);
      assert.deepEqual([form("name"), form("code")], expected);
    }),
  );
});

test("reports a body that a body parser has read", async () => {
  const headers = { "Content-Type": TYPE };
  const request = new Request("http://localhost/", { method: "POST", body: "{}", headers });
  await request.json();
  assert.equal(await readJson(fetchRequest(request), FIELDS), "already-read");
});
