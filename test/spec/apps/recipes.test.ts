import assert from "node:assert/strict";
import { test } from "node:test";
import { elements, fieldNamed } from "../../support/markup.ts";
import { APPS, atApps, secretIn } from "./at-apps.ts";

const IMMICH = { recipe: "immich", name: "Immich", id: "immich", section: "Media" } as const;
const NEW = `${APPS}/new`;

test("lists known apps, finds them by name or purpose, and opens the form of one", async (t) => {
  const { open } = await atApps(t);
  const all = (await open(NEW)).body;
  for (const id of ["immich", "nextcloud", "proxmox-ve"])
    assert.ok(all.includes(`href="${NEW}?recipe=${id}"`), id);
  const found = (await open(`${NEW}?q=PHOTOS`)).body;
  assert.ok(found.includes("?recipe=immich") && !found.includes("?recipe=nextcloud"));
  const both = (await open(`${NEW}?q=videos++media`)).body;
  assert.ok(both.includes("?recipe=immich") && !both.includes("?recipe=nextcloud"));
  assert.ok(!(await open(`${NEW}?q=%3Cb%3E`)).body.includes("<b>"));

  const { body } = await open(`${NEW}?recipe=immich`);
  assert.equal(fieldNamed(body, "name").value, "Immich");
  assert.equal(fieldNamed(body, "recipe").value, "immich");
  assert.ok("required" in fieldNamed(body, "url"));
  assert.ok(!body.includes('name="redirects"'));
  for (const id of ["", "../../package", "none"]) {
    const plain = (await open(`${NEW}?recipe=${encodeURIComponent(id)}`)).body;
    assert.ok(plain.includes('name="redirects"'), id);
  }
});

test("adds a known app by its address, and shows once what to enter there", async (t) => {
  const { act, open, stored } = await atApps(t);
  const added = await act("add", { ...IMMICH, url: " https://photos.example.org/ " });
  assert.equal(added.status, 200);
  assert.equal(added.headers["cache-control"], "no-store");
  const secret = secretIn(added) ?? "";
  assert.match(secret, /^[\w-]{43}$/);
  const values = elements(added.body, "button").map((button) => button["data-copy"]);
  for (const value of ["https://auth.example.org", "immich", secret])
    assert.ok(
      values.some((shown) => String(shown).includes(value)),
      value,
    );
  assert.deepEqual(stored(), { immich: "Immich" });
  const page = (await open(`${APPS}/immich`)).body;
  for (const redirect of [
    "https://photos.example.org/auth/login",
    "https://photos.example.org/user-settings",
    "app.immich:///oauth-callback",
  ]) {
    assert.ok(page.includes(redirect), redirect);
  }
  assert.ok(!page.includes(secret));
});

test("adds a known app that only the proxy guards, without a secret", async (t) => {
  const { act, stored, countSecrets } = await atApps(t);
  const form = { recipe: "sonarr", name: "Series", url: "https://series.example.org" };
  const added = await act("add", form);
  assert.equal(added.status, 200);
  assert.equal(secretIn(added), undefined);
  assert.deepEqual([stored(), countSecrets()], [{ series: "Series" }, 0]);
});

test("says at the address what is wrong with it, and adds nothing", async (t) => {
  const { act, stored } = await atApps(t);
  for (const url of [
    "",
    "photos",
    "http://photos.lan",
    "javascript:alert(1)",
    "https://u:p@a.test",
  ]) {
    const { status, body } = await act("add", { ...IMMICH, url });
    assert.equal(status, 422, url);
    assert.equal(fieldNamed(body, "url")["aria-invalid"], "true", url);
    assert.equal(fieldNamed(body, "recipe").value, "immich", url);
  }
  assert.deepEqual(stored(), {});
});

test("ignores addresses that a form adds to those of the recipe", async (t) => {
  const { act, open } = await atApps(t);
  const url = "https://photos.example.org";
  await act("add", { ...IMMICH, url, redirects: "https://evil.example/", public: "1" });
  assert.ok(!(await open(`${APPS}/immich`)).body.includes("evil.example"));
});

test("needs the public URL of the gate for an app with OpenID Connect", async (t) => {
  const { act, stored } = await atApps(t, { publicUrl: undefined });
  const { status } = await act("add", { ...IMMICH, url: "https://photos.example.org" });
  assert.deepEqual([status, stored()], [422, {}]);
});
