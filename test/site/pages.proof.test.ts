/** All pages of the site. One of each kind is in site.full.test.ts. */
import { test } from "node:test";
import { assertPageWorks, routesByFile, START, serveSite } from "./serve-site.ts";

serveSite();

for (const route of [START, ...routesByFile.values()]) {
  test(`/${route} is accessible in both themes, fits a phone and asks no other host`, (t) =>
    assertPageWorks(t, route));
}
