import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OWNER } from "../support/gate.ts";
import { browseInPage } from "./browse.ts";
import { applyDiff, filesOn, readPage } from "./page.ts";
import { startAgain } from "./running-app.ts";
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

/** The folder of the second build, since the first one is running. That one has checked the types. */
const BESIDE = `distDir: ".next-base", typescript: { ignoreBuildErrors: true },`;

/** Changes the app as its page says, in the folder of the running one. */
export const serveBelowBasePath: Step = {
  title: "with basePath: signs in, guards its pages and signs out, in a browser too",
  async run(visit, t) {
    for (const { file, only, code } of filesOn(await readPage("next"))) {
      if (!only.includes("basePath")) continue;
      const target = join(visit.folder, file);
      const changed = applyDiff(await readFile(target, "utf8"), code);
      await writeFile(target, changed.replace('basePath: "/base",', `$& ${BESIDE}`));
    }
    const base = "/base";
    const below = { ...visit, ...(await startAgain(t, visit)), base };
    const headers = { Accept: "text/html" };
    const { location } = await below.send("/base/notes/7?q=a+b", { headers });
    assert.equal(location, "/base/auth/login?return_to=%2Fbase%2Fnotes%2F7%3Fq%3Da%2Bb");
    const form = { ...OWNER, password: visit.password };
    const signedIn = await below.send("/base/auth/login", { form });
    assert.deepEqual([signedIn.status, signedIn.location], [303, base]);
    await browseInPage.run(below, t);
  },
};
