import assert from "node:assert/strict";
import { ReadableStream } from "node:stream/web";
import { test } from "node:test";
import { MAX_BODY_BYTES, readForm } from "../../../src/web/request/form.ts";

const FORM = "application/x-www-form-urlencoded";

/** A body in chunks without a declared length. */
const createStream = (pieces: Iterable<string>): ReadableStream =>
  ReadableStream.from(Array.from(pieces, (piece) => Buffer.from(piece)));

const createPost = (
  body: string | Uint8Array<ArrayBuffer> | ReadableStream,
  headers: Readonly<Record<string, string>>,
): Request => new Request("http://localhost/", { method: "POST", body, headers, duplex: "half" });

async function readField(request: Request): Promise<string> {
  const reading = await readForm(request);
  assert.ok(reading.kind === "form", reading.kind);
  return reading.form("a");
}

for (const type of [FORM, FORM.toUpperCase(), `${FORM};charset=utf-8`, `${FORM} ; x=y`]) {
  test(`reads a body of the type ${type} as a form`, async () => {
    assert.equal(await readField(createPost("a=b", { "Content-Type": type })), "b");
  });
}

for (const type of ["text/plain", "application/json", "multipart/form-data", `${FORM}x`, "", ";"]) {
  test(`reads no fields from a body of the type "${type}"`, async () => {
    assert.equal(await readField(createPost("a=b", { "Content-Type": type })), "");
  });
}

test("reads no fields from a body without a type", async () => {
  assert.equal(await readField(createPost(Buffer.from("a=b"), {})), "");
});

test("reads a body without a declared length up to the limit", async () => {
  const headers = { "Content-Type": FORM };
  assert.equal(await readField(createPost(createStream(["a=", "b", "c"]), headers)), "bc");
  const most = ["a=", "x".repeat(MAX_BODY_BYTES - 2)];
  assert.equal(
    (await readField(createPost(createStream(most), headers))).length,
    MAX_BODY_BYTES - 2,
  );
  const reading = await readForm(createPost(createStream([...most, "x"]), headers));
  assert.deepEqual(reading, { kind: "too-large" });
});

test("reports an aborted body instead of an empty form", async () => {
  const body = new ReadableStream({
    pull(controller) {
      controller.error(new Error("the connection is gone"));
    },
  });
  assert.deepEqual(await readForm(createPost(body, { "Content-Type": FORM })), { kind: "aborted" });
});

test("reports invalid UTF-8 instead of fields", async () => {
  const reading = await readForm(createPost("a=%FF", { "Content-Type": FORM }));
  assert.deepEqual(reading, { kind: "not-utf8" });
});

test("throws if a body parser has read the body, unless it has kept the bytes", async () => {
  const rejected = { code: "form_already_read", message: /mount .* before body parsers/ };
  const createForm = () => createPost("a=b", { "Content-Type": FORM });
  for (const rawBody of [undefined, "a=b"]) {
    const parsed = { readableDidRead: true, rawBody };
    await assert.rejects(readForm(createForm(), parsed), rejected);
  }
  const used = createForm();
  await used.text();
  for (const incoming of [undefined, {}]) await assert.rejects(readForm(used, incoming), rejected);
  const kept = { readableDidRead: true, rawBody: Buffer.from("a=b") };
  for (const incoming of [kept, { readableDidRead: false }, {}]) {
    assert.equal((await readForm(createForm(), incoming)).kind, "form");
  }
});
