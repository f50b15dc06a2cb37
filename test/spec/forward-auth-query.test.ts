import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { UserId } from "../../src/db/records.ts";
import { parseForwardAuthQuery as read } from "../../src/http/forward-auth-query.ts";
import { admitsUser } from "../../src/identity/admits-user.ts";

function admits(query: string, username: string, groups?: readonly string[]): boolean {
  const result = read(query);
  const user = { id: "1" as UserId, username, ...(groups && { groups }) };
  return result.kind === "query" && admitsUser(result, user);
}

test("names the first parameter that is not known, however it resembles a known one", () => {
  const unknown = {
    "?user=owner": "user",
    "?xusers=owner": "xusers",
    "?Users=owner": "Users",
    "?users%3Downer": "users%3Downer",
    "?user%73=owner": "user%73",
    "? users=owner": " users",
    "?=owner": "",
    "??users=owner": "?users",
    "?deny=401;users=owner&x": "x",
    "?users=owner&user=owner&x=1": "user",
  };
  for (const [query, name] of Object.entries(unknown)) {
    assert.deepEqual(read(query), { kind: "unknown-parameter", name }, query);
  }
});

test("redirects become a 401 with deny=401 only", () => {
  const queries = { "": "redirect", "?deny=": "redirect", "?deny=4010": "redirect" };
  const turned = { "?deny=401": "401", "?users=x&deny=401": "401", "?deny=1&deny=401": "401" };
  for (const [query, deny] of Object.entries({ ...queries, ...turned })) {
    assert.partialDeepStrictEqual(read(query), { kind: "query", deny }, query);
  }
});

test("repeats Authorization with authorization=pass only", () => {
  for (const [query, authorization] of [
    ["?authorization=pass", "pass"],
    ["?&authorization=pass&deny=401&", "pass"],
    ["?authorization=PASS", "leave-out"],
    ["?authorization=", "leave-out"],
    ["?", "leave-out"],
    ["", "leave-out"],
  ] as const) {
    assert.partialDeepStrictEqual(read(query), { kind: "query", authorization }, query);
  }
});

test("a list admits the users that it names, and no others", () => {
  const name = "a,b&c=d+e f%";
  const encoded = encodeURIComponent(name);
  const admitting = ["?users=owner", "?users=ann,owner", "?deny=401&users=owner,ann"];
  for (const query of admitting) assert.ok(admits(query, "owner"), query);
  for (const query of [
    "?users",
    "?users=",
    "?users=,",
    "?users=Owner",
    "?users=owner%20",
    "?users=own",
    "?users=%ZZ",
    "?users=%2Cowner",
    "?users=owner%2Cann",
  ]) {
    assert.ok(!admits(query, "owner"), query);
  }
  assert.ok(admits(`?users=x,${encoded}`, name));
  assert.ok(admits("?users=J%C3%BCrgen", "Jürgen"));
  assert.ok(admits("?users=a+b", "a+b"));
  assert.ok(!admits(`?users=${encoded}`, "a"));
  assert.ok(!admits("?users=%", "%"));
});

test("every username can be listed", () => {
  const names = fc.array(fc.string({ unit: "grapheme", minLength: 1 }), { minLength: 1 });
  fc.assert(
    fc.property(names, fc.string({ unit: "grapheme", minLength: 1 }), (listed, other) => {
      const query = `?users=${listed.map(encodeURIComponent).join(",")}`;
      return (
        listed.every((name) => admits(query, name)) &&
        admits(query, other) === listed.includes(other)
      );
    }),
  );
});

test("a list of groups admits their members, and repeated lists all count", () => {
  const isAdmitted = (query: string) => admits(query, "owner", ["family"]);
  assert.ok(isAdmitted("?groups=staff,family"));
  for (const query of ["", "=", "=,", "=%ZZ", "=famil", "=family%2Cstaff", "=family&groups=staff"])
    assert.equal(isAdmitted(`?groups${query}`), false, query);
  assert.ok(!admits("?users=ann&users=owner", "owner"));
});
