import assert from "node:assert/strict";
import { test } from "node:test";
import { Unavailable } from "../../src/lib/fault.ts";
import { getWords, locales } from "../../src/pages/words.ts";
import { startApp } from "../support/app.ts";
import { OWNER, SETUP_FORM } from "../support/gate.ts";
import { openStore } from "../support/store.ts";

const HIDDEN = "hidden text of a driver";
const alertIn = (body: string): string | undefined => /role="alert">([^<]*)</.exec(body)?.[1];

for (const [name, status, error] of [
  ["internalFailure", 500, new Error(HIDDEN)],
  ["unavailable", 503, new Unavailable("store_busy", HIDDEN, 7)],
] as const) {
  test(`a page that fails with ${status} shows a calm text and the ID`, async (t) => {
    const store = await openStore(t);
    t.mock.method(store.users, "any", () => Promise.reject(error));
    const app = await startApp(t, { store });
    for (const locale of locales) {
      const headers = { "Accept-Language": locale };
      for (const path of ["/login", "/setup", "/", "/login?error=1"]) {
        const answer = await app.send(path, { headers });
        const expected = [status, getWords(locale).messages[name]];
        assert.deepEqual([answer.status, alertIn(answer.body)], expected);
        assert.ok(answer.body.includes(getWords(locale).quoteRequest));
        const id = `<code dir="ltr">${answer.headers["x-request-id"]}</code>`;
        assert.ok(answer.body.includes(id), "the ID of the server log");
        assert.ok(!answer.body.includes(HIDDEN));
      }
      const signIn = await app.send("/login", { form: OWNER, headers });
      assert.equal(alertIn(signIn.body), getWords(locale).messages[name]);
    }
    const shown = await app.send("/setup", { form: SETUP_FORM });
    assert.deepEqual([shown.status, alertIn(shown.body)], [status, HIDDEN]);
  });
}
