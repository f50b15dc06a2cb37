import assert from "node:assert/strict";
import { test } from "node:test";
import { faultOf } from "../../support/faults.ts";
import { folderWith, pagesFrom } from "../../support/pages.ts";

/** States of each page, as conditions that a custom template can check. */
const states: Readonly<Record<string, readonly string[]>> = {
  login: [
    "!it.HasError && !it.NeedsSetup && !it.CurrentUser && !it.returnTo",
    "it.HasError && it.returnTo",
    "it.NeedsSetup && !it.HasError",
    'it.CurrentUser?.username && it.CurrentUser.id === "1"',
    "it.CurrentUser && it.continueTo && !it.NeedsSetup && !it.HasError",
    "it.HasError === false && it.NeedsSetup === false && !it.CurrentUser",
  ],
  setup: [
    "!it.tokenExpected && !it.offersDomain && !it.returnTo && !it.problem",
    'it.token === "" && it.username === "" && it.domain === "" && it.tokenExpected === false',
    "it.tokenExpected && it.offersDomain && it.returnTo && it.problem",
    'it.problem?.message && it.problem.fields[0] === "token" && it.username === ""',
    "it.NeedsSetup && !it.CurrentUser",
  ],
  home: [
    'it.activity?.kind === "none" && !it.notice && !it.problem',
    'it.activity?.kind === "entries" && it.activity.entries[0].text',
    'it.activity?.kind === "entries" && Date.parse(it.activity.entries[0].at) > 0',
    'it.activity?.kind === "entries" && it.activity.entries[0].utc',
    'it.activity?.kind === "entries" && it.activity.entries.length === 0',
    'it.notice === "password-changed"',
    'it.activity?.kind === "unreadable"',
    'it.problem?.message && it.problem.fields[0] === "current_password"',
    "it.CurrentUser.username",
  ],
  error: [
    ...["500", "503", "404", "403"].map((status) => `it.status === ${status} && it.message`),
    "it.requestId",
    "!it.requestId && it.message",
    "it.NeedsSetup",
    "it.CurrentUser?.username",
    "!it.NeedsSetup && !it.CurrentUser",
  ],
};

for (const [page, conditions] of Object.entries(states)) {
  for (const condition of conditions) {
    test(`stops the start if a ${page} page fails in only one state: ${condition}`, async (t) => {
      const text = `<% if (${condition}) throw new Error("met") %>`;
      const folder = await folderWith(t, { [`${page}.eta`]: text });
      assert.match(faultOf(() => pagesFrom(folder)).message, /:1: met$/);
    });
  }
}
