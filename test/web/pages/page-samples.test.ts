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
    "it.asksCode === false && it.offersPasskeys === false",
    "it.asksCode && it.offersPasskeys",
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
    'it.notice === "passwordIsChanged"',
    'it.activity?.kind === "unreadable"',
    'it.problem?.message && it.problem.fields[0] === "current_password"',
    "it.CurrentUser.username",
    'it.codes?.kind === "none" && it.sessions.kind === "none" && !it.passkeys',
    'it.codes?.kind === "off"',
    'it.codes?.kind === "on" && it.codes.recoveryCodesLeft === 1',
    'it.codes?.kind === "begun" && it.codes.qr.path === "" && it.problem.form === "codes"',
    'it.codes?.kind === "turned-on" && it.codes.recoveryCodes.join() === "00000"',
    'it.sessions?.kind === "unreadable"',
    "it.sessions?.sessions?.length === 1 && it.sessions.sessions[0].isCurrent",
    "it.sessions?.sessions?.length === 7 && !it.sessions.sessions[1].isCurrent",
    ...["id", "device", "address", "at", "utc"].map(
      (name) => `it.sessions?.sessions?.every((one) => one.${name})`,
    ),
    "it.passkeys?.canAdd && it.passkeys.list.length === 0",
    "it.passkeys?.canAdd === false && it.passkeys.list.length === 2",
    "it.passkeys?.list[0]?.used && it.passkeys.list[1].used === undefined",
    ...["id", "name", "added.at", "added.utc"].map(
      (name) => `it.passkeys?.list.length && it.passkeys.list.every((one) => one.${name})`,
    ),
  ],
  error: [
    ...["500", "503", "404", "403"].map((status) => `it.status === ${status} && it.message`),
    "it.requestId",
    "!it.requestId && it.message",
    "it.NeedsSetup",
    "it.CurrentUser?.username",
    "it.CurrentUser && it.message && it.status === 403 && !it.offersSignOut",
    "it.offersSignOut && !it.host && it.message",
    "it.offersSignOut && it.host && it.accountUrl",
    "!it.offersSignOut && it.host && it.title",
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
