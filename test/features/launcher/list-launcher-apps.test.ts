import assert from "node:assert/strict";
import { test } from "node:test";
import type { App, User, UserId } from "../../../src/db/records.ts";
import {
  createSearch,
  listLauncherApps,
} from "../../../src/features/launcher/list-launcher-apps.ts";
import { getCollator, type Locale } from "../../../src/pages/words.ts";

const ENGLISH = getCollator("en");

const app = (name: string, fields: Partial<App> = {}): App => ({
  id: name.toLowerCase(),
  name,
  url: `https://${name.toLowerCase().replace(" ", "-")}.example.org`,
  createdAt: new Date(0),
  ...fields,
});

const person = (groups: readonly string[] = []): User => ({
  id: "1" as UserId,
  username: "ada",
  groups,
});
const guest = (groups: readonly string[]): User => ({ ...person(groups), guest: true });

/** The names of the apps, by section. */
const namesOf = (apps: readonly App[], user: User = person(), collator = ENGLISH) =>
  listLauncherApps(apps, user, collator).map((section) => [
    section.name,
    ...section.apps.map((openable) => openable.app.name),
  ]);

test("sorts apps by name within sections, and puts apps without a section first", () => {
  const apps = [
    app("Wiki", { section: "Tools" }),
    app("photos", { section: "Family" }),
    app("Films", { section: "Family" }),
    app("Émile"),
    app("App 10"),
    app("App 9"),
  ];
  assert.deepEqual(namesOf(apps), [
    ["", "App 9", "App 10", "Émile"],
    ["Family", "Films", "photos"],
    ["Tools", "Wiki"],
  ]);
});

test("sorts the same apps in the order of each reader's alphabet", () => {
  const apps = ["Åland", "Zebra", "Apple", "Öl"].map((name) => app(name));
  const sorted = (locale: Locale) =>
    namesOf(apps, person(), getCollator(locale)).flat().slice(1).join(" ");
  assert.equal(sorted("de"), "Åland Apple Öl Zebra");
  assert.equal(sorted("sv"), "Apple Zebra Åland Öl");
  assert.equal(sorted("de"), "Åland Apple Öl Zebra");
});

test("lists only what the person may open, and no section without such an app", () => {
  const apps = [
    app("Open"),
    app("Family", { groups: ["family"], section: "House" }),
    app("Staff", { groups: ["staff"], section: "Work" }),
  ];
  assert.deepEqual(namesOf(apps), [["", "Open"]]);
  assert.deepEqual(namesOf(apps, person(["family"])), [
    ["", "Open"],
    ["House", "Family"],
  ]);
  // An app without groups is for everyone except guests.
  assert.deepEqual(namesOf(apps, guest(["staff"])), [["Work", "Staff"]]);
  assert.deepEqual(namesOf(apps, guest([])), []);
});

test("lists an app that requires a second factor, because the person can sign in with one", () => {
  assert.deepEqual(namesOf([app("Git", { factors: 2 })]), [["", "Git"]]);
});

test("leaves out apps without an address that a browser can open, and keeps the others", () => {
  const { url: _, ...withoutUrl } = app("None");
  const apps = [
    withoutUrl,
    app("Empty", { url: "" }),
    app("Broken", { url: "http://" }),
    app("Wildcard", { url: "https://*.example.org" }),
    app("Script", { url: "javascript:alert(1)" }),
    app("Data", { url: "data:text/html,x" }),
    app("Text", { url: "photos" }),
    app("Photos"),
  ];
  assert.deepEqual(namesOf(apps).flat().filter(Boolean), ["Photos"]);
});

test("lists apps again after a change, and for another person", () => {
  const apps = [app("Photos", { groups: ["family"] })];
  assert.deepEqual(namesOf(apps, person(["family"])), [["", "Photos"]]);
  assert.deepEqual(namesOf(apps), []);
  assert.deepEqual(namesOf([...apps, app("Films")]), [["", "Films"]]);
});

test("a search finds all its words in the name and the host, without case and accents", () => {
  const [section] = listLauncherApps(
    [app("Fotoalbum Königsberg", { url: "https://pics.test" })],
    person(),
    ENGLISH,
  );
  const found = section?.apps[0];
  assert.ok(found !== undefined);
  const finds = (search: string) => createSearch(search)(found);
  for (const search of [
    "",
    "  ",
    "foto",
    "KONIGS",
    "königs",
    "pics.test",
    "album pics",
    "k\u006f\u0308nig",
  ]) {
    assert.ok(finds(search), search);
  }
  for (const search of ["fotos", "foto zzz", "https", "*", "("]) assert.ok(!finds(search), search);
});
