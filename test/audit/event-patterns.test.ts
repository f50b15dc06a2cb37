import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_PATTERNS, selectEvents } from "../../src/audit/event-patterns.ts";
import { alarmingEvents, eventTypes } from "../../src/audit/events.ts";

const select = (text: string): string => {
  const selection = selectEvents(text);
  assert.ok(selection.kind === "events", `${text}: ${selection.kind}`);
  return selection.events.join(" ");
};

const userEvents = eventTypes.filter((type) => type.startsWith("user_"));

test("a dot and an underscore are the same, and a star is any text", () => {
  assert.equal(select("user_add"), "user_add");
  assert.equal(select("user.add"), "user_add");
  assert.equal(select("user.*"), userEvents.join(" "));
  assert.equal(select("user*"), userEvents.join(" "));
  assert.equal(select("*_lost,message.*"), "message_lost");
  assert.equal(select("*"), eventTypes.join(" "));
  assert.equal(select("**"), eventTypes.join(" "));
  assert.equal(select("s*n"), "signin");
});

test("a pattern without a star is a whole name", () => {
  assert.equal(select("signin"), "signin");
  assert.equal(select("codes.on"), "codes_on");
});

test("patterns may have spaces around them, and overlap", () => {
  assert.equal(select(" signup , sign* "), select("sign*"));
});

test("signin_refused stands for the events that refuse a sign-in", () => {
  const refused = "signin_rate_limited code_rejected codes_locked app_refused";
  assert.equal(select("signin_refused"), refused);
  assert.equal(select("signin.refused"), refused);
  for (const type of refused.split(" ")) assert.ok(alarmingEvents.has(type), type);
});

test("by default, the operator is told who gets in, who ends, and what is wrong", () => {
  assert.deepEqual(select(DEFAULT_PATTERNS).split(" "), [
    ...["signin_rate_limited", "signup", "factors_off", "code_rejected", "codes_locked"],
    ...["user_add", "user_groups", "message_lost", "user_remove", "link_use", "app_refused"],
    "user_import",
  ]);
});

for (const [pattern, suggestion] of [
  ["user_ad", "user_add"],
  ["user.ad", "user_add"],
  ["signin_refuse", "signin_refused"],
  ["sign_in", "signin"],
  ["nothing_like_it", undefined],
  ["x*", undefined],
  ["_", undefined],
] as const) {
  test(`finds no event for ${pattern}, and suggests ${suggestion ?? "none"}`, () => {
    assert.deepEqual(selectEvents(`signup,${pattern},user_add`), {
      kind: "no-match",
      pattern,
      suggestion,
    });
  });
}

test("refuses what is not a pattern", () => {
  for (const text of [
    "",
    ",",
    "signup,",
    "user add",
    "USER_ADD",
    "user-add",
    "(a+)+",
    "user?",
    "\n",
  ])
    assert.deepEqual(selectEvents(text), { kind: "invalid" }, JSON.stringify(text));
});
