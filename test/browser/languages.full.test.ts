import assert from "node:assert/strict";
import { test } from "node:test";
import { atHome, formOf, heading, submit, submitUnchecked } from "./forms.ts";

const GREETINGS: Readonly<Record<string, string>> = {
  en: "Sign in to Latchkey",
  de: "Anmelden bei Latchkey",
  fr: "Connexion à Latchkey",
  es: "Iniciar sesión en Latchkey",
};

test("LOCALE sets the language of all pages, messages and script texts for all users", async (t) => {
  const { page } = await atHome(t, { language: "fr", statuses: [422] }, { locale: "de" });
  assert.equal(await page.locator("html").getAttribute("lang"), "de");
  const passwordForm = formOf(page, "/account/password");
  assert.equal(await passwordForm.getByRole("button", { name: /^Anzeigen: / }).count(), 3);
  await submitUnchecked(page, "/account/password", {});
  assert.equal(await page.getByRole("alert").textContent(), "alle Felder müssen ausgefüllt sein");
  await submit(page, "/logout");
  assert.equal(await heading(page).innerText(), GREETINGS.de);
});

function inGerman(iso: string): string {
  const [, year, month, day, clock] = /^(\d+)-(\d+)-(\d+)T(\d+:\d+)/.exec(iso) ?? [];
  return `${day}.${month}.${year}, ${clock}`;
}

test("shows times in UTC, marked as UTC, without scripts", async (t) => {
  const visiting = { scripts: "off", language: "de", timeZone: "Asia/Tokyo" } as const;
  const { page, gate } = await atHome(t, visiting);
  const [entry] = await gate.logEntries(1);
  await page.reload();
  const time = page.locator("section:last-of-type time").first();
  const at = entry?.at.toISOString() ?? "";
  assert.equal(await time.getAttribute("datetime"), at);
  assert.equal(await time.innerText(), `${inGerman(at)} UTC`);
});

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;

test("shows how long ago it was in the reader's language, and the exact time on hover, with scripts", async (t) => {
  const { page, gate } = await atHome(t, { language: "de", timeZone: "Asia/Tokyo" });
  const [entry] = await gate.logEntries(1);
  const at = entry?.at ?? new Date();
  const time = page.locator("section:last-of-type time").first();
  for (const [age, text] of [
    // The browser's clock may be behind the server's.
    [-90 * SECOND, "jetzt"],
    [59 * SECOND, "jetzt"],
    [60 * SECOND, "vor 1 Minute"],
    [HOUR - SECOND, "vor 59 Minuten"],
    [2.5 * HOUR, "vor 2 Stunden"],
    [DAY, "vor 1 Tag"],
    [29.5 * DAY, "vor 29 Tagen"],
    [70 * DAY, "vor 2 Monaten"],
    [800 * DAY, "vor 2 Jahren"],
  ] as const) {
    await page.clock.setFixedTime(at.getTime() + age);
    await page.reload();
    assert.equal(await time.innerText(), text);
    assert.equal(await time.getAttribute("title"), `${inGerman(at.toISOString())} UTC`);
  }
});
