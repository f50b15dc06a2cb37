import assert from "node:assert/strict";
import { test } from "node:test";
import { atHome } from "./forms.ts";

const SECOND = 1000;

test("shows the time ago in the reader's language, and exactly on hover", async (t) => {
  const { page, gate } = await atHome(t, { language: "de", timeZone: "Asia/Tokyo" });
  const [entry] = await gate.logEntries(1);
  const at = entry?.at ?? new Date();
  await page.goto(`${gate.url}/account/history`);
  const time = page.locator("main time").first();
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
    // Exactly means at the reader's place: nine hours after UTC.
    const local = new Date(at.getTime() + 9 * 3_600_000);
    const title = (await time.getAttribute("title")) ?? "";
    const [date = "", clock = ""] = title.split(", ");
    assert.equal(
      date,
      `${local.getUTCDate()}.${local.getUTCMonth() + 1}.${local.getUTCFullYear()}`,
    );
    assert.equal(clock, local.toISOString().slice(11, 19));
  }
});
