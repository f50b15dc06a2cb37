import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { changeForm, OWNER, SETUP_FORM } from "../support/gate.ts";
import {
  alert,
  atGate,
  atHome,
  type Fields,
  field,
  focused,
  pathOf,
  submit,
  submitUnchecked,
} from "./forms.ts";

interface Case {
  readonly what: string;
  readonly change: Fields;
  readonly message: string;
  /** The field that has the message and the focus. */
  readonly at: string;
}

const SETUP: Fields = { ...SETUP_FORM, token: "the token", domain: "home.example.org" };

const setupCases: readonly Case[] = [
  { what: "a wrong token", change: { token: "x" }, message: "invalid setup token", at: "token" },
  {
    what: "two different passwords",
    change: { confirm: "correct house" },
    message: "passwords do not match",
    at: "password",
  },
];

const PASSWORD: Fields = changeForm(OWNER.password, "another horse");

const passwordCases: readonly Case[] = [
  {
    what: "a wrong current password",
    change: { current_password: "wrong" },
    message: "current password is incorrect",
    at: "current_password",
  },
  {
    what: "two different new passwords",
    change: { confirm_password: "another house" },
    message: "new passwords do not match",
    at: "new_password",
  },
];

/** Asserts one message at the field, which is marked as invalid and has the focus. */
async function assertProblem(page: Page, { message, at }: Case): Promise<void> {
  assert.deepEqual([await alert(page).textContent(), await focused(page)], [message, at]);
  const wrong = field(page, at);
  assert.equal(await wrong.getAttribute("aria-invalid"), "true");
  const described = (await wrong.getAttribute("aria-describedby")) ?? "";
  const texts = described.split(" ").map((id) => page.locator(`[id="${id}"]`).textContent());
  assert.ok((await Promise.all(texts)).includes(message), described);
}

for (const scripts of ["on", "off"] as const) {
  for (const one of setupCases) {
    test(`shows a rejected setup with the values and the reason: ${one.what}, scripts ${scripts}`, async (t) => {
      const { page, gate } = await atGate(
        t,
        { scripts, statuses: [403, 422] },
        { domainSetupCommand: process.execPath },
      );
      await writeFile(gate.setupTokenFile, SETUP.token ?? "");
      await page.goto(`${gate.url}/setup`);
      const typed = { ...SETUP, ...one.change };
      await submitUnchecked(page, "/setup", typed);

      assert.equal(pathOf(page), "/setup");
      await assertProblem(page, one);
      for (const name of ["token", "username", "domain"]) {
        assert.equal(await field(page, name).inputValue(), typed[name], name);
      }
      for (const name of ["password", "confirm"]) {
        assert.equal(await field(page, name).inputValue(), "", name);
      }

      const { token, ...others } = SETUP;
      await submit(page, "/setup", one.at === "token" ? SETUP : others);
      assert.equal(pathOf(page), "/");
    });
  }

  for (const one of passwordCases) {
    test(`shows a rejected password change with the form and the reason: ${one.what}, scripts ${scripts}`, async (t) => {
      const { page } = await atHome(t, { scripts, statuses: [422] });
      await submitUnchecked(page, "/account/password", { ...PASSWORD, ...one.change });

      await assertProblem(page, one);
      for (const name of Object.keys(PASSWORD)) {
        assert.equal(await field(page, name).inputValue(), "", name);
      }

      await submit(page, "/account/password", PASSWORD);
      assert.equal(await alert(page).count(), 0);
      assert.equal(pathOf(page), "/account/");
    });
  }
}

test("the browser does not send a form with a missing field", async (t) => {
  const { page, gate } = await atGate(t);
  await page.goto(`${gate.url}/setup`);
  const sent: string[] = [];
  page.on("request", (request) => sent.push(request.url()));
  await page.getByRole("button", { name: "Create account" }).click();
  assert.equal(await focused(page), "username");
  await field(page, "username").fill("owner");
  await page.getByRole("button", { name: "Create account" }).click();
  assert.equal(await focused(page), "password");
  assert.deepEqual(sent, []);
});
