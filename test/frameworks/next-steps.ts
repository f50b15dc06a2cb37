import assert from "node:assert/strict";
import { field, fill, leave, sendButton } from "../browser/forms.ts";
import { openPage } from "../support/browser.ts";
import { OWNER } from "../support/gate.ts";
import type { Step } from "./steps.ts";

/** A server action is a POST to its page: it needs a guard of its own. */
export const refuseStrangersAction: Step = {
  title: "refuses the server action of a stranger",
  async run(visit) {
    const { body: page } = await visit.send("/", { session: visit.session });
    const [, action = ""] = /name="(\$ACTION_ID_\w+)"/.exec(page) ?? [];
    assert.notEqual(action, "");
    const boundary = "part";
    const body = [action, "note"]
      .map((name) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nx\r\n`)
      .concat(`--${boundary}--\r\n`)
      .join("");
    const headers = { "Content-Type": `multipart/form-data; boundary=${boundary}` };
    const refused = await visit.send("/", { body, headers });
    assert.ok([303, 401].includes(refused.status), String(refused.status));
    const done = await visit.send("/", { body, headers, session: visit.session });
    assert.equal(done.status, 200);
    assert.match(done.body, /value="x"/);
  },
};

/** The browser also runs the code that Next.js sends: the server action goes by `fetch`. */
export const browseNext: Step = {
  title: "in a browser: signs in, calls the server action and signs out",
  async run(visit, t) {
    const page = await openPage(t, { statuses: [401, 404], givenUp: "allowed" });
    await page.goto(visit.url);
    await fill(page, OWNER);
    await leave(page, () => sendButton(page, "/auth/login").click());
    visit.signIns += 1;
    await page.getByRole("heading", { name: "Hello, owner" }).waitFor();
    await fill(page, { note: "from the browser" });
    await Promise.all([
      page.waitForResponse((response) => response.request().method() === "POST"),
      page.getByRole("button", { name: "Save" }).click(),
    ]);
    await page.reload();
    assert.equal(await field(page, "note").inputValue(), "from the browser");
    await leave(page, () => page.getByRole("button", { name: "Sign out" }).click());
    assert.equal(new URL(page.url()).pathname, "/auth/login");
  },
};
