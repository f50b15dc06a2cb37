import assert from "node:assert/strict";
import { test } from "node:test";
import { readUpload } from "../../src/http/form.ts";
import { fetchRequest } from "../../src/index.ts";
import { upload } from "../support/upload.ts";

const read = (
  body: string | Uint8Array<ArrayBuffer> | ReadableStream,
  headers: Readonly<Record<string, string>> = {},
) =>
  readUpload(
    fetchRequest(
      new Request("https://a.test/", {
        method: "POST",
        body,
        headers,
        ...{ duplex: "half" },
      }),
    ),
  );

const readForm = async (...given: Parameters<typeof upload>) => {
  const { body, headers } = await upload(...given);
  const form = await read(body as Uint8Array<ArrayBuffer>, headers);
  assert.ok(typeof form === "function", String(form));
  return form;
};

test("reads the fields and the bytes of the file, whatever its name and type", async () => {
  const content = Uint8Array.from({ length: 256 }, (_, at) => at);
  for (const name of ["a.png", "../../etc/passwd", 'a"; name="app', "a\r\nb", "ä.svg"]) {
    const form = await readForm({ app: "photos" }, { content, name, type: "text/html" });
    assert.deepEqual([form("app"), form("other"), form("icon")], ["photos", "", ""]);
    assert.deepEqual(form.file, content);
    assert.deepEqual(Object.keys(form), ["file"], "neither the name nor the type");
  }
});

test("a form without a chosen file has none, and an empty file is one", async () => {
  assert.equal((await readForm({ app: "a" })).file, undefined);
  assert.equal((await readForm({ app: "a" }, { content: "", name: "" })).file, undefined);
  assert.deepEqual((await readForm({}, { content: "", name: "empty" })).file, new Uint8Array());
});

test("the first of repeated fields counts", async () => {
  const body =
    '--b\r\nContent-Disposition: form-data; name="app"\r\n\r\nfirst\r\n' +
    '--b\r\nContent-Disposition: form-data; name="app"\r\n\r\nsecond\r\n--b--\r\n';
  const form = await read(body, { "Content-Type": "multipart/form-data; boundary=b" });
  assert.ok(typeof form === "function");
  assert.equal(form("app"), "first");
});

const part = (disposition: string, content: string): string =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
const file = part('name="icon"; filename="a.svg"', "<svg/>");

const malformed: Readonly<Record<string, string>> = {
  "two files": `${file}${file}--b--\r\n`,
  "a body that is cut off": file.slice(0, -8),
  "a body without its end": file,
  "more fields than any form has": `${part('name="a"', "b").repeat(11)}--b--\r\n`,
  "no part": "--b\r\n",
  "a part without a name": `${part("", "b")}--b--\r\n`,
  "an empty body": "",
  "a body that is no multipart": "app=photos",
};
for (const [what, body] of Object.entries(malformed)) {
  test(`refuses ${what}`, async () => {
    const type = { "Content-Type": "multipart/form-data; boundary=b" };
    assert.equal(await read(body, type), "malformed");
  });
}

test("refuses a form without a boundary, and any other type", async () => {
  assert.equal(await read(file, { "Content-Type": "multipart/form-data" }), "malformed");
  for (const type of ["multipart/mixed; boundary=b", "application/json", "text/plain", ""])
    assert.equal(await read(file, { "Content-Type": type }), "not-a-form", type);
  assert.equal(
    await read("app=photos", { "Content-Type": "application/x-www-form-urlencoded" }),
    "not-a-form",
  );
});

test("a multipart within the file is bytes, and its parts are no fields", async () => {
  const nested = `--c\r\nContent-Disposition: form-data; name="app"\r\n\r\nwiki\r\n--c--\r\n`;
  const form = await readForm(
    {},
    { content: nested, type: "multipart/form-data; boundary=c", name: "x" },
  );
  assert.equal(form("app"), "");
  assert.equal(Buffer.from(form.file ?? []).toString(), nested);
});

test("accepts 600 KiB, and stops reading beyond it, also without a length", async () => {
  const exact = 600 * 1_024;
  const empty = (await upload({}, { content: "" })).body?.length ?? 0;
  const content = (size: number) => ({ content: new Uint8Array(size - empty) });
  assert.equal((await readForm({}, content(exact))).file?.length, exact - empty);
  const { body, headers } = await upload({}, content(exact + 1));
  assert.equal(await read(body as Uint8Array<ArrayBuffer>, headers), "too-large");
  let pulled = 0;
  const endless = new ReadableStream({
    pull(controller) {
      pulled += 1;
      controller.enqueue(new Uint8Array(64 * 1_024));
    },
  });
  assert.equal(await read(endless, headers), "too-large");
  assert.ok(pulled < 15, `${pulled}`);
});

test("a body that breaks off is reported as such", async () => {
  const broken = new ReadableStream({
    pull(controller) {
      controller.error(new Error("gone"));
    },
  });
  const type = { "Content-Type": "multipart/form-data; boundary=b" };
  assert.equal(await read(broken, type), "aborted");
});
