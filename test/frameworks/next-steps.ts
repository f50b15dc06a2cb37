import assert from "node:assert/strict";
import type { Step } from "./steps.ts";

/** A server action is a POST to its page: it needs a guard of its own. */
export const refuseStrangersAction: Step = {
  title: "refuses the server action of a stranger",
  async run(visit) {
    const { body: page } = await visit.send("/notes", { session: visit.session });
    const [, action = ""] = /name="(\$ACTION_ID_\w+)"/.exec(page) ?? [];
    assert.notEqual(action, "");
    const boundary = "part";
    const body = [action, "note"]
      .map((name) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nx\r\n`)
      .concat(`--${boundary}--\r\n`)
      .join("");
    const headers = { "Content-Type": `multipart/form-data; boundary=${boundary}` };
    const refused = await visit.send("/notes", { body, headers });
    assert.ok([303, 401].includes(refused.status), String(refused.status));
    const done = await visit.send("/notes", { body, headers, session: visit.session });
    assert.equal(done.status, 200);
    assert.match(done.body, /value="x"/);
  },
};
