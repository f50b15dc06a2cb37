import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { tempDir } from "../support/temp-dir.ts";
import { atGate, carry, field, heading, submitUnchecked } from "./forms.ts";

const HOSTILE = `"><script>injected=1</script><img src=x onerror="injected=1">'&amp;`;

const SHORT = `"><script>injected=1</script>'&amp;`;

const HOSTILE_LOGO = `<svg xmlns="http://www.w3.org/2000/svg" width="48" height="24" onload="injected=1">
<script>injected=1</script><rect width="48" height="24"/></svg>`;

const injected = (page: Page): Promise<boolean> => page.evaluate("'injected' in globalThis");

test("shows a username with markup as text on every page, and never runs it", async (t) => {
  const at = await atGate(t, { statuses: [422] });
  const { page, gate } = at;
  await page.goto(`${gate.url}/setup`);
  await submitUnchecked(page, "/setup", { username: HOSTILE, password: "a", confirm: "b" });
  assert.equal(await field(page, "username").inputValue(), HOSTILE);
  assert.equal(await injected(page), false);

  await carry(at, await gate.setUp({ username: HOSTILE }));
  await gate.logEntries(1);
  const textOf = async (path: string): Promise<string> => {
    await page.goto(`${gate.url}${path}`);
    return page.locator("main").innerText();
  };
  for (const [path, shown] of [
    ["/account/profile", `${HOSTILE}\n`],
    ["/account/history", `Account ${HOSTILE} was created`],
    ["/account/people", HOSTILE],
    ["/account/activity", `Account ${HOSTILE} was created`],
    ["/login", HOSTILE],
  ] as const) {
    const text = await textOf(path);
    assert.ok(text.includes(shown), text);
    assert.equal(await injected(page), false, path);
  }
  await page.goto(`${gate.url}/account/sign-in`);
  const names = await field(page, "username").all();
  assert.ok(names.length > 0);
  for (const name of names) assert.equal(await name.inputValue(), HOSTILE);
  assert.equal(await injected(page), false);
});

test("shows markup in an application name as text, and runs no script of a logo", async (t) => {
  const logoFile = join(await tempDir(t), "logo.svg");
  await writeFile(logoFile, HOSTILE_LOGO);
  const { page, gate } = await atGate(t, {}, { appName: SHORT, logoFile });
  await page.goto(`${gate.url}/login`);
  assert.equal(await heading(page).textContent(), `Sign in to ${SHORT}`);
  assert.equal(await page.title(), `Sign in to ${SHORT}`);
  const logo = page.locator("main img");
  const width = await logo.evaluate((image: { naturalWidth: number }) => image.naturalWidth);
  assert.deepEqual([width, await injected(page)], [48, false]);
});
