import assert from "node:assert/strict";
import { test } from "node:test";
import type { App } from "../../../src/db/records.ts";
import { findAppAtPath } from "../../../src/features/apps/app-at-path.ts";

const at = (id: string, path: string, off?: 1): App => ({
  ...{ id, name: id, url: `https://one.example.test${path}`, createdAt: new Date(0) },
  ...(off && { off }),
});

const find = (apps: readonly App[], path: string): string | undefined =>
  findAppAtPath(apps, path)?.id;

test("finds the app with the longest path", () => {
  const apps = [at("root", ""), at("wiki", "/wiki/"), at("talk", "/wiki/talk"), at("x", "/x")];
  for (const [path, id] of [
    ...[["/", "root"] as const, ["/wikis", "root"] as const, ["/other/wiki", "root"] as const],
    ...[["/wiki", "wiki"] as const, ["/wiki/", "wiki"] as const, ["/Wiki/a.b", "wiki"] as const],
    ...[["/wiki/talk/1", "talk"] as const, ["/wiki/talks", "wiki"] as const],
    ["/wiki/Z%C3%BCrich%20(Stadt)", "wiki"],
  ] as const) {
    assert.equal(find(apps, path), id, path);
  }
  assert.equal(find([at("wiki", "/wiki/index.php"), at("x", "/x")], "/wiki/load"), "wiki");
  assert.equal(find([at("wiki", "/wiki"), at("x", "/x")], "/"), undefined);
  assert.equal(find([at("umlaut", "/Z%C3%BCrich"), at("x", "/x")], "/z%c3%bcrich/1"), "umlaut");
});

test("finds no app at a path that a server can read as another one", () => {
  const apps = [at("root", ""), at("photos", "/photos", 1)];
  for (const path of [
    ...[
      "",
      "photos",
      "//photos",
      "/x//photos",
      "/x/../photos",
      "/./photos",
      "/x/..",
      "/..",
      "/x/.",
    ],
    ...["/%70hotos", "/x%2f..%2fphotos", "/x%5c..%5cphotos", "/x\\photos", "/x;/photos", "/x;a=b"],
    ...["/%2e%2e/photos", "/x%00", "/x%", "/x%zz", "/%ff", "/%c0%afphotos", "/%c1%b0hotos"],
    ...["/%EF%BD%90hotos", "/photo%C5%BF", "/photo\u017f", "/x y", "/x, /y", "/x#/photos", "*"],
    ...["https://one.example.test/x", "/x?y", "/a\t", "/%25"],
  ])
    assert.equal(find(apps, path), undefined, path);
});

test("finds the app that is turned off at each path that can be its own", () => {
  const off = (path: string) => [at("root", ""), at("off", path, 1), at("more", "/apps/more")];
  for (const [own, path, id] of [
    ["/photos/", "/photos", "off"],
    ["/photos", "/PHOTOS/x", "off"],
    ["/photos/login/start", "/photos/albums", "off"],
    ["/photos", "/photosets", "root"],
    ["/photos", "/x", "root"],
    // The same path twice, and a part that both have.
    ["", "/x", "off"],
    ["/apps/photos", "/apps/photos", "off"],
    ["/apps/photos", "/apps/other", "off"],
    ["/apps/photos", "/apps/more/x", "more"],
    ["/apps/more", "/apps/more", "more"],
    // Its own path is a file, or not certain.
    ["/index.html", "/x", "off"],
    ["/%70hotos", "/x", "off"],
  ] as const)
    assert.equal(find(off(own), path), id, `${own} ${path}`);
  const same = [at("on", "/same"), at("off", "/same", 1)];
  for (const apps of [same, same.toReversed()]) assert.equal(find(apps, "/same/x"), "off");
});
