import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { ReadableStream } from "node:stream/web";
import { test } from "node:test";
import { readForm } from "../../src/http/form.ts";
import { fetchRequest, type WebRequest } from "../../src/index.ts";
import { fakeNodeRequest } from "../support/fake-node-request.ts";

const FORM = "application/x-www-form-urlencoded";

/** A body in chunks without a declared length. */
const createStream = (pieces: Iterable<string>): ReadableStream =>
  ReadableStream.from(Array.from(pieces, (piece) => Buffer.from(piece)));

const createPost = (
  body: string | Uint8Array<ArrayBuffer> | ReadableStream,
  headers: Readonly<Record<string, string>>,
): WebRequest =>
  fetchRequest(new Request("http://localhost/", { method: "POST", body, headers, duplex: "half" }));

async function readField(request: WebRequest): Promise<string> {
  const form = await readForm(request);
  assert.ok(typeof form === "function", String(form));
  return form("a");
}

for (const type of [FORM, FORM.toUpperCase(), `${FORM};charset=utf-8`, `${FORM} ; x=y`]) {
  test(`reads a body of the type ${type} as a form`, async () => {
    assert.equal(await readField(createPost("a=b", { "Content-Type": type })), "b");
  });
}

test("takes no body of another type, or without a type, for a form", async () => {
  const others = ["text/plain", "application/json", "multipart/form-data", `${FORM}x`, "", ";"];
  for (const type of others) {
    assert.equal(await readForm(createPost("a=b", { "Content-Type": type })), "not-a-form", type);
    assert.equal(await readField(createPost("", { "Content-Type": type })), "", type);
  }
  assert.equal(await readForm(createPost(Buffer.from("a=b"), {})), "not-a-form");
});

test("reads a body without a declared length up to the limit", async () => {
  const headers = { "Content-Type": FORM };
  assert.equal(await readField(createPost(createStream(["a=", "b", "c"]), headers)), "bc");
  const most = ["a=", "x".repeat(65_536 - 2)];
  assert.equal((await readField(createPost(createStream(most), headers))).length, 65_536 - 2);
  const reading = await readForm(createPost(createStream([...most, "x"]), headers));
  assert.equal(reading, "too-large");
});

test("reports an aborted body instead of an empty form", async () => {
  const body = new ReadableStream({
    pull(controller) {
      controller.error(new Error("the connection is gone"));
    },
  });
  assert.equal(await readForm(createPost(body, { "Content-Type": FORM })), "aborted");
});

/** A Node request for a form after the given body parser. */
const parsed = (body: { readonly readableDidRead?: boolean; readonly rawBody?: unknown }) =>
  fakeNodeRequest({
    socket: {},
    headers: { "content-type": FORM },
    iterator: () => Readable.from([Buffer.from("a=b")]),
    ...body,
  });

test("reports a body that a body parser has read, unless it has kept the bytes", async () => {
  for (const rawBody of [undefined, "a=b"]) {
    assert.equal(await readForm(parsed({ readableDidRead: true, rawBody })), "already-read");
  }
  const used = new Request("http://localhost/", { method: "POST", body: "a=b" });
  await used.text();
  assert.equal(await readForm(fetchRequest(used)), "already-read");
  const kept = { readableDidRead: true, rawBody: Buffer.from("a=b") };
  for (const body of [kept, { readableDidRead: false }, {}]) {
    assert.equal(await readField(parsed(body)), "b");
  }
});

test("reads a form of 100 fields, and refuses a longer one before it is decoded", async (t) => {
  const read = (fields: number, field = "b=c") => {
    const body = ["a=first", ...Array.from({ length: fields - 1 }, () => field)].join("&");
    return readForm(createPost(body, { "Content-Type": FORM }));
  };
  const form = await read(100);
  assert.ok(typeof form === "function");
  assert.equal(form("a"), "first");
  const decoding = t.mock.method(TextDecoder.prototype, "decode");
  for (const fields of [101, 20_000]) assert.equal(await read(fields), "too-large");
  assert.equal(await read(20_000, ""), "too-large");
  assert.equal(decoding.mock.callCount(), 0);
});
