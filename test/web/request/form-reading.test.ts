import assert from "node:assert/strict";
import { ReadableStream } from "node:stream/web";
import { test } from "node:test";
import { MAX_BODY_BYTES, readForm } from "../../../src/web/request/form.ts";

const FORM = "application/x-www-form-urlencoded";

/** A body that comes in pieces, and of which nobody knows beforehand how long it is. */
const inPieces = (pieces: Iterable<string>): ReadableStream =>
  ReadableStream.from(Array.from(pieces, (piece) => Buffer.from(piece)));

const posted = (
  body: string | Uint8Array<ArrayBuffer> | ReadableStream,
  headers: Readonly<Record<string, string>>,
): Request => new Request("http://localhost/", { method: "POST", body, headers, duplex: "half" });

async function fieldIn(request: Request): Promise<string> {
  const reading = await readForm(request);
  assert.ok(reading.kind === "form", reading.kind);
  return reading.form("a");
}

for (const type of [FORM, FORM.toUpperCase(), `${FORM};charset=utf-8`, `${FORM} ; x=y`]) {
  test(`a body of the type ${type} is a form`, async () => {
    assert.equal(await fieldIn(posted("a=b", { "Content-Type": type })), "b");
  });
}

for (const type of ["text/plain", "application/json", "multipart/form-data", `${FORM}x`, "", ";"]) {
  test(`a body of the type "${type}" has no fields`, async () => {
    assert.equal(await fieldIn(posted("a=b", { "Content-Type": type })), "");
  });
}

test("a body without a type has no fields", async () => {
  assert.equal(await fieldIn(posted(Buffer.from("a=b"), {})), "");
});

test("a body of no known length is read whole, and not a byte too much", async () => {
  const headers = { "Content-Type": FORM };
  assert.equal(await fieldIn(posted(inPieces(["a=", "b", "c"]), headers)), "bc");
  const most = ["a=", "x".repeat(MAX_BODY_BYTES - 2)];
  assert.equal((await fieldIn(posted(inPieces(most), headers))).length, MAX_BODY_BYTES - 2);
  const reading = await readForm(posted(inPieces([...most, "x"]), headers));
  assert.deepEqual(reading, { kind: "too-large" });
});

test("a body that breaks off is no form, not an empty one", async () => {
  const body = new ReadableStream({
    pull(controller) {
      controller.error(new Error("the connection is gone"));
    },
  });
  assert.deepEqual(await readForm(posted(body, { "Content-Type": FORM })), { kind: "aborted" });
});
