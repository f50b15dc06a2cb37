import assert from "node:assert/strict";
import { test } from "node:test";
import { getWords } from "../../../src/pages/words.ts";
import { valuesOf } from "../../support/database.ts";
import { elements } from "../../support/markup.ts";
import { inThePast } from "../../support/mint.ts";
import { type UploadedFile, upload } from "../../support/upload.ts";
import { addMember } from "../people/at-people.ts";
import { APPS, type AtApps, atApps, PHOTOS } from "./at-apps.ts";

const en = getWords("en");
const SVG = "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";
const PNG = Buffer.from("\x89PNG\r\n\x1a\nimage", "latin1");
const ORIGIN = { Origin: "https://auth.example.org" };

/** Sends an icon as the form on the page does. */
async function sendIcon(
  { open }: AtApps,
  fields: Readonly<Record<string, string>>,
  files: readonly UploadedFile[],
  { session, headers = {} }: { session?: string; headers?: Readonly<Record<string, string>> } = {},
) {
  const sending = await upload(fields, ...files);
  return open(`${APPS}/icon`, {
    ...sending,
    ...(session !== undefined && { session }),
    headers: { ...sending.headers, ...ORIGIN, ...headers },
  });
}

const icons = ({ gate }: AtApps) =>
  valuesOf(gate.databaseFile, "SELECT id, type FROM latchkey_app_icons ORDER BY id");

test("sets icons for light and dark pages, shows them, and removes each", async (t) => {
  const at = await atApps(t);
  await at.act("add", PHOTOS);
  const light = { app: "photos", scheme: "light" };
  const dark = { app: "photos", scheme: "dark" };
  const set = await sendIcon(at, light, [{ content: SVG, name: "a.png", type: "image/png" }]);
  assert.deepEqual([set.status, set.location], [303, `${APPS}/photos`]);
  assert.match(String(set.cookies), /^latchkey-notice=changeIsSaved;/);
  await sendIcon(at, dark, [{ content: PNG, name: "../../x.html", type: "text/html" }]);
  assert.deepEqual(icons(at), [
    ["photos/dark", "image/png"],
    ["photos/light", "image/svg+xml"],
  ]);
  const { body } = await at.open(`${APPS}/photos`);
  const [image] = elements(body, "img").filter(({ src = "" }) => String(src).includes("photos"));
  const shown = await at.open(String(image?.src));
  assert.equal(shown.headers["content-type"], "image/svg+xml");
  // Whoever opens the image itself runs none of its scripts.
  assert.match(String(shown.headers["content-security-policy"]), /default-src 'none'.*sandbox/);
  assert.equal(shown.headers["x-content-type-options"], "nosniff");
  assert.ok(!body.includes("alert(1)"));

  const removed = await at.act("remove-icon", dark);
  assert.match(String(removed.cookies), /^latchkey-notice=changeIsSaved;/);
  assert.deepEqual(icons(at), [["photos/light", "image/svg+xml"]]);
  assert.deepEqual((await at.act("remove-icon", dark)).cookies, [], "there is none any more");
  await at.act("remove-icon", light);
  assert.deepEqual(icons(at), []);
  const types = (await at.gate.logEntries(7))
    .slice(-4)
    .map(({ type, author, subject }) => [...[type, author, subject]]);
  assert.deepEqual(types, Array(4).fill(["app_change", "admin owner", "photos"]));
});

test("says at the field why a file is no icon, and keeps the one that is there", async (t) => {
  const at = await atApps(t);
  await at.act("add", PHOTOS);
  const light = { app: "photos", scheme: "light" };
  await sendIcon(at, light, [{ content: PNG }]);
  const large = Buffer.concat([PNG, Buffer.alloc(512 * 1_024)]);
  for (const [files, message] of [
    [[], en.messages.iconMissing],
    [[{ content: "", name: "" }], en.messages.iconMissing],
    [[{ content: "", name: "empty.png" }], en.messages.iconMissing],
    [[{ content: "<html>", name: "a.svg", type: "image/svg+xml" }], en.messages.iconUnknown],
    [[{ content: "GIF89a", name: "a.png", type: "image/png" }], en.messages.iconUnknown],
    [[{ content: large }], en.messages.iconTooLarge],
  ] as const) {
    const { status, body } = await sendIcon(at, light, files);
    assert.equal(status, 422);
    assert.ok(body.includes(`id="icon-problem">${message}</p>`), message);
    const invalid = elements(body, "input").filter((input) => "aria-invalid" in input);
    assert.deepEqual(
      invalid.map(({ id }) => id),
      ["icon"],
    );
  }
  for (const [files, status] of [
    [[{ content: PNG }, { content: PNG }], 400],
    [[{ content: Buffer.alloc(601 * 1_024) }], 413],
  ] as const) {
    assert.equal((await sendIcon(at, light, files)).status, status);
  }
  assert.deepEqual(icons(at), [["photos/light", "image/png"]]);
});

test("only an administrator who signed in recently sets an icon, from this site", async (t) => {
  const at = await atApps(t);
  await at.act("add", PHOTOS);
  const light = { app: "photos", scheme: "light" };
  const file = [{ content: SVG }];
  const member = addMember(at.gate, "member", "family");
  const statuses = [];
  for (const sending of [
    { session: member },
    { session: "forged" },
    { headers: { Origin: "https://evil.example" } },
    { headers: { Origin: "null", "Sec-Fetch-Site": "cross-site" } },
  ]) {
    statuses.push((await sendIcon(at, light, file, sending)).status);
  }
  assert.deepEqual(statuses, [404, 303, 403, 403]);
  const old = await sendIcon(at, light, file, { session: inThePast(at.session) });
  assert.deepEqual([old.status, old.location?.startsWith("/login?")], [303, true]);
  assert.deepEqual(icons(at), []);
});

test("an upload is refused as any other form, and another form as an upload", async (t) => {
  const at = await atApps(t);
  await at.act("add", PHOTOS);
  const form = { app: "photos", scheme: "light" };
  assert.equal((await at.act("icon", form)).status, 415);
  const { headers, ...sending } = await upload({ app: "photos" }, { content: SVG });
  const change = await at.open(`${APPS}/remove`, {
    ...sending,
    headers: { ...headers, ...ORIGIN },
  });
  assert.equal(change.status, 415);
  assert.deepEqual(at.stored(), { photos: "Photos" });
});

test("an icon for an app that does not exist leads to the list", async (t) => {
  const at = await atApps(t);
  for (const app of ["", "unknown", "../x", "a\0b"]) {
    const { status, location } = await sendIcon(at, { app }, [{ content: SVG }]);
    assert.deepEqual([status, location], [303, APPS]);
  }
  assert.deepEqual(icons(at), []);
});
