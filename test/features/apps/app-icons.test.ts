import assert from "node:assert/strict";
import { test } from "node:test";
import {
  MAX_ICON_BYTES,
  recognizeIcon,
  removeAppIcon,
  setAppIcon,
} from "../../../src/features/apps/app-icons.ts";
import { addApp } from "../../../src/features/apps/manage-apps.ts";
import { createAppServices } from "./app-services.ts";

const latin = (text: string): Buffer => Buffer.from(text, "latin1");
const PNG = latin("\x89PNG\r\n\x1a\n rest");
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');

/** Returns a file type box of an ISO file with these brands. */
const isoFile = (...brands: readonly string[]): Buffer => {
  const box = latin(`ftyp${brands.join("")}`);
  return Buffer.concat([Buffer.from([0, 0, 0, box.length + 4]), box, latin("meta avif")]);
};

test("recognizes an image by its content", () => {
  for (const [type, ...images] of [
    ["image/png", PNG],
    ["image/webp", latin("RIFF\x10\0\0\0WEBPVP8 ")],
    ["image/avif", isoFile("avif", "\0\0\0\0"), isoFile("mif1", "\0\0\0\0", "miaf", "avif")],
    [
      "image/svg+xml",
      SVG,
      Buffer.from("\ufeff \n<svg>"),
      Buffer.from('<?xml version="1.0"?>\n<!-- a --> <!-- <b> -->\n<svg\nwidth="1">'),
      Buffer.from('<!DOCTYPE svg PUBLIC "a" "b" [ <!ENTITY a "b"> ]><svg/>'),
    ],
  ] as const) {
    for (const image of images) assert.deepEqual(recognizeIcon(image), { type }, String(image));
  }
});

test("refuses what is not one of the four formats, is empty or too large", () => {
  for (const image of [
    ...["<html><svg>", "svg", "<svgx>", "<!-- <svg> -->", "<!-- <svg>", "<?xml <svg>", "a<svg>"],
    ...["\x89PN", "GIF89a", "BM", "\xff\xd8\xff\xe0", "RIFF\0\0\0\0WAVE", "\0\0\x01\0\x01\0"],
    ...["\0\0\0\x18ftypmp42\0\0\0\0isomavix", "ftyp", "\0\0\0\x08ftypavif", "<svg>\0", "{}", " "],
  ]) {
    assert.deepEqual(recognizeIcon(latin(image)), { problem: "type-unknown" }, image);
  }
  const utf16 = Buffer.from("\ufeff<svg/>", "utf16le");
  assert.deepEqual(recognizeIcon(utf16), { problem: "type-unknown" });
  assert.deepEqual(recognizeIcon(new Uint8Array()), { problem: "empty" });
  const size = (bytes: number) => recognizeIcon(Buffer.concat([PNG], bytes));
  assert.deepEqual(size(MAX_ICON_BYTES), { type: "image/png" });
  assert.deepEqual(size(MAX_ICON_BYTES + 1), { problem: "too-large" });
});

test("decides over a hostile image of full size in one pass", () => {
  for (const part of ["<!--", "<!-- -->", "<!DOCTYPE [", "<?", "\n", "<!DOCTYPE []>"]) {
    const image = latin(part.repeat(MAX_ICON_BYTES / part.length));
    assert.deepEqual(recognizeIcon(image), { problem: "type-unknown" });
  }
});

test("sets and removes icons of an app, and records each change", async (t) => {
  const services = await createAppServices(t);
  const { store, recorded } = services;
  assert.deepEqual(await setAppIcon(services, "photos", "light", SVG), { kind: "no-app" });
  await addApp(services, { name: "Photos" });
  assert.deepEqual(await setAppIcon(services, "photos", "light", SVG), { kind: "set" });
  // A view into a larger buffer is stored without what surrounds it.
  const view = new Uint8Array(Buffer.concat([latin("before"), PNG, latin("after")])).subarray(
    6,
    -5,
  );
  assert.deepEqual(await setAppIcon(services, "photos", "dark", view), { kind: "set" });
  const icon = await store.apps.findIcon("photos/dark");
  assert.deepEqual([icon?.type, icon?.body], ["image/png", PNG.toString("base64")]);
  const empty = await setAppIcon(services, "photos", "dark", new Uint8Array());
  assert.deepEqual(empty, { kind: "empty" });
  assert.equal(await removeAppIcon(services, "photos", "dark"), "removed");
  assert.equal(await removeAppIcon(services, "photos", "dark"), "no-icon");
  assert.deepEqual(await store.apps.listIconIds(), ["photos/light"]);
  assert.deepEqual(recorded, ["app_add photos", ...Array(3).fill("app_change photos")]);
});
