import assert from "node:assert/strict";
import { DEEP_LINK } from "./browse.ts";
import type { Step } from "./steps.ts";

/** A link in a page makes SvelteKit's client ask for the data of the next page alone. */
export const redirectData: Step = {
  title:
    "leads a stranger's request for the data of a page to the sign-in, and back with its query",
  async run(visit) {
    const answer = await visit.send(DEEP_LINK.replace("?", "/__data.json?"));
    assert.equal(answer.status, 200);
    const { type, location } = JSON.parse(answer.body);
    const signIn = `/auth/login?return_to=${encodeURIComponent(DEEP_LINK)}`;
    assert.deepEqual([type, location], ["redirect", signIn]);
  },
};
