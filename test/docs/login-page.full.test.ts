/** The sign-in page of docs/pages.md, in an app. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { folderWith } from "../examples/folder-with.ts";
import { typeErrors } from "../package/installed.ts";
import { startConfiguredApp } from "../support/app.ts";
import { OWNER } from "../support/gate.ts";
import { elements, fieldNamed } from "../support/markup.ts";
import { text } from "./pages.ts";

const [, code = ""] = /`login-page\.ts`[^`]*```ts\n([\s\S]*?)```/.exec(text("docs/pages.md")) ?? [];

test("the page signs in, returns to where the user was, and escapes that", async (t) => {
  const folder = await folderWith(t, ["latchkey", "@types", "undici-types"]);
  const file = join(folder, "login-page.ts");
  await writeFile(file, code);
  assert.equal(await typeErrors(folder), "");
  const { login } = await import(pathToFileURL(file).href);
  const { app } = await startConfiguredApp(t, {
    guards: { returnTo: true },
    pages: { login, appName: "<b>&" },
  });
  const returnTo = "/a?b&c";
  const { status, body } = await app.send(`/login?return_to=${encodeURIComponent(returnTo)}`);
  assert.equal(status, 200);
  assert.match(body, /<h1>Sign in to &#60;b&#62;&#38;<\/h1>/);
  assert.doesNotMatch(body, /<script|<style|\sstyle=|\son\w+=/, "the policy allows nothing inline");
  const [form] = elements(body, "form");
  const { value = "" } = fieldNamed(body, "return_to");
  const target = `${value}`.replace(/&#(\d+);/g, (_, number) => String.fromCharCode(number));
  assert.equal(target, returnTo);
  const sent = { ...OWNER, return_to: "/a" };
  assert.equal((await app.send(`${form?.action}`, { form: sent })).location, "/a");
  const failed = (await app.send("/login?error=1")).body;
  assert.match(failed, /<p class="problem" role="alert">That didn’t work/);
});
