import assert from "node:assert/strict";
import { test } from "node:test";
import { OWNER } from "../support/gate.ts";
import { fieldNamed } from "../support/markup.ts";
import { bases, frameworks } from "./frameworks.ts";
import { type RunningAdapter, SETUP_FORM, startApp } from "./running.ts";

const PAGE = { Accept: "text/html,*/*;q=0.8" };
const NAVIGATION = { ...PAGE, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
const SCRIPT = { Accept: "application/json", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty" };

const DEEP = "/operation?x=1&y=a%20b";

const withReturnTo = (path: string, target: string): string =>
  `${path}?return_to=${encodeURIComponent(target)}`;

/** Opens the page of a redirect and posts its form, as a browser does. */
async function fillIn(
  app: RunningAdapter,
  location: string,
  form: Readonly<Record<string, string>>,
) {
  const returnTo = fieldNamed((await app.send(location)).body, "return_to").value ?? "";
  const [path = ""] = location.split("?");
  return app.send(path, { form: { ...form, return_to: returnTo.replaceAll("&amp;", "&") } });
}

for (const framework of frameworks) {
  for (const base of bases) {
    const under = `${framework.name}, ${base === "" ? "no base path" : base}`;

    test(`${under}: setup and sign-in return to the requested page`, async (t) => {
      const app = await startApp(t, framework, { basePath: base, returnTo: true });
      for (const { path, form } of [
        { path: `${base}/setup`, form: SETUP_FORM },
        { path: `${base}/login`, form: OWNER },
      ]) {
        for (const headers of [PAGE, NAVIGATION]) {
          const { status, location = "" } = await app.send(DEEP, { headers });
          assert.deepEqual([status, location], [303, withReturnTo(path, DEEP)]);
        }
        const done = await fillIn(app, withReturnTo(path, DEEP), form);
        assert.deepEqual([done.status, done.location], [303, DEEP]);
        assert.equal((await app.send(DEEP, { session: done.session })).body, "for owner");
      }
    });

    test(`${under}: answers calls with 401 and JSON, and sends htmx to the sign-in`, async (t) => {
      const app = await startApp(t, framework, {
        ...{ basePath: base, returnTo: true, onDenied: "negotiate" },
      });
      const script = await app.send("/handler", { method: "POST", headers: SCRIPT });
      assert.deepEqual([script.status, script.location], [401, undefined]);
      assert.deepEqual(JSON.parse(script.body), { error: "sign_in_required" });
      assert.equal(script.headers["content-type"], "application/json");
      const page = `${app.url}/handler?x=1`;
      const headers = { "HX-Request": "true", "HX-Current-URL": page };
      const htmx = await app.send("/handler", { headers });
      const leave = withReturnTo(`${base}/login`, page);
      assert.deepEqual([htmx.status, htmx.headers["hx-redirect"]], [401, leave]);
      const head = await app.send("/handler", { method: "HEAD", headers: SCRIPT });
      assert.deepEqual([head.status, head.body, app.reached()], [401, "", 0]);
      app.addAccount();
      assert.equal((await app.send("/operation", { headers: SCRIPT })).status, 401);
    });
  }
}
