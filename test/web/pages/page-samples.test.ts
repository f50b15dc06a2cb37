import assert from "node:assert/strict";
import { test } from "node:test";
import { faultOf } from "../../support/faults.ts";
import { folderWith, pagesFrom } from "../../support/pages.ts";

/** Usual states of each page, as conditions that a custom template can check. */
const states: Readonly<Record<string, readonly string[]>> = {
  login: [
    "it.NeedsSetup && !it.HasError && !it.CurrentUser && it.asksCode === false",
    "it.HasError && it.returnTo && it.asksCode && it.offersPasskeys",
    'it.CurrentUser?.username && it.CurrentUser.id === "1" && it.continueTo',
    "it.CurrentUser && it.confirms",
  ],
  setup: [
    'it.NeedsSetup && it.tokenExpected && it.offersDomain && it.problem?.fields[0] === "token"',
  ],
  link: ["!it.isUsernameSet", 'it.purpose === "guest"'],
  home: [
    'it.activity?.kind === "none" && it.sessions.kind === "none" && !it.passkeys && !it.problem',
    'it.activity?.kind === "entries" && Date.parse(it.activity.entries[0].at) > 0',
    'it.notice === "passwordIsChanged" && it.problem?.form === "password"',
    'it.codes?.kind === "off" && it.lacksFactor',
    'it.codes?.kind === "on" && it.codes.recoveryCodesLeft === 1',
    'it.codes?.kind === "begun" && it.codes.qr.path === "" && it.problem.form === "codes"',
    'it.codes?.kind === "turned-on" && it.codes.recoveryCodes.join() === "00000"',
    "it.sessions?.sessions?.length === 7 && !it.sessions.sessions[1].isCurrent",
    "it.passkeys?.canAdd && it.passkeys.list[0].used.utc && it.keys.list[0].name",
    "it.madeKey",
  ],
  people: ["it.people.length === 1 && it.links.length === 1", "it.made"],
  activity: ["it.entries.length === 1"],
  error: [
    "it.requestId",
    "it.NeedsSetup",
    "it.offersSignOut && it.host && it.accountUrl",
    "it.offersSignOut && it.signInUrl",
  ],
};

for (const [page, conditions] of Object.entries(states)) {
  for (const condition of conditions) {
    test(`stops the start if a ${page} page fails: ${condition}`, async (t) => {
      const text = `<% if (${condition}) throw new Error("met") %>`;
      const folder = await folderWith(t, { [`${page}.eta`]: text });
      assert.match(faultOf(() => pagesFrom(folder)).message, /:1: met$/);
    });
  }
}
