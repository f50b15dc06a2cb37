import assert from "node:assert/strict";
import { test } from "node:test";
import { OWNER } from "../support/gate.ts";
import { fieldNamed } from "../support/markup.ts";
import { frameworks } from "./frameworks.ts";
import { SETUP_FORM, startApp } from "./running.ts";

const PAGE = { Accept: "text/html,*/*;q=0.8" };
const NAVIGATION = { ...PAGE, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };

const DEEP = "/operation?x=1&y=a%20b";

const withReturnTo = (path: string, target: string): string =>
  `${path}?return_to=${encodeURIComponent(target)}`;

for (const framework of frameworks) {
  test(`${framework.name}: setup and sign-in return to the requested page`, async (t) => {
    const app = await startApp(t, framework, { guards: { returnTo: true } });
    for (const { path, form } of [
      { path: "/setup", form: SETUP_FORM },
      { path: "/login", form: OWNER },
    ]) {
      for (const headers of [PAGE, NAVIGATION]) {
        const { status, location = "" } = await app.send(DEEP, { headers });
        assert.deepEqual([status, location], [303, withReturnTo(path, DEEP)]);
      }
      const { body } = await app.send(withReturnTo(path, DEEP));
      const return_to = fieldNamed(body, "return_to").value?.replaceAll("&amp;", "&") ?? "";
      const done = await app.send(path, { form: { ...form, return_to } });
      assert.deepEqual([done.status, done.location], [303, DEEP]);
      assert.equal((await app.send(DEEP, { session: done.session })).body, "for owner");
    }
  });
}
