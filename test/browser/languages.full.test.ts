import assert from "node:assert/strict";
import { test } from "node:test";
import { atHome } from "./forms.ts";

const SECOND = 1000;

test("shows the time ago in the reader's language, and exactly on hover", async (t) => {
  const { page, gate } = await atHome(t, { language: "de", timeZone: "Asia/Tokyo" });
  const [entry] = await gate.logEntries(1);
  const at = entry?.at ?? new Date();
  const [, year, month, day, clock] = /^(\d+)-(\d+)-(\d+)T(\d+:\d+)/.exec(at.toISOString()) ?? [];
  const time = page.locator("section:last-of-type time").first();
  for (const [age, text] of [
    // The browser's clock may be behind the server's.
    [-90 * SECOND, "jetzt"],
    [60 * SECOND, "vor 1 Minute"],
    [29.5 * 86_400 * SECOND, "vor 29 Tagen"],
    [800 * 86_400 * SECOND, "vor 2 Jahren"],
  ] as const) {
    await page.clock.setFixedTime(at.getTime() + age);
    await page.reload();
    assert.equal(await time.innerText(), text);
    assert.equal(await time.getAttribute("title"), `${day}.${month}.${year}, ${clock} UTC`);
  }
});
