import assert from "node:assert/strict";
import { test } from "node:test";
import { createAuth } from "../../src/index.ts";
import { wordsIn } from "../../src/web/words.ts";
import { SECRET } from "../support/gate.ts";
import { recordingLog } from "../support/recording-log.ts";
import { openStore } from "../support/store.ts";

const breakingOff = (): ReadableStream =>
  new ReadableStream({
    pull(controller) {
      controller.error(new Error("the client went away"));
    },
  });

test("a form that breaks off is a 400 that says so, and nothing for the server log", async (t) => {
  const log = recordingLog();
  const auth = createAuth({ store: await openStore(t), secret: SECRET, log });
  t.after(() => auth.close());
  for (const path of ["/setup", "/login"]) {
    const answer = await auth.routes.request(path, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: breakingOff(),
      duplex: "half",
    } as RequestInit);
    assert.equal(answer.status, 400);
    assert.ok((await answer.text()).includes(wordsIn("en").said.formNotWhole));
  }
  assert.deepEqual(log.lines, []);
});
