import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { attemptRule } from "../../src/core/attempt-limiter.ts";
import { SESSION_LIFETIME_SECONDS } from "../../src/core/session-token.ts";
import { startGate } from "../support/gate.ts";

const at = (path: string): URL => new URL(`../../${path}`, import.meta.url);
const text = (path: string): string => readFileSync(at(path), "utf8");

const states = ["met", "not applicable", "set aside", "not met"];
const security = text("SECURITY.md");

/** The cells of each row whose first one looks like this. */
const rowsOf = (page: string, first: RegExp): readonly (readonly string[])[] =>
  page
    .split("\n")
    .map((line) => line.split("|").slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()))
    .filter(([cell = ""]) => first.test(cell));

const rows = rowsOf(text("docs/asvs.md"), /^\d+\.\d+\.\d+$/).map(
  ([number = "", level = "", asks = "", state = "", why = "", tests = "", ...more]) => {
    const shownBy = [...tests.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path);
    return { number, level, asks, state, why, tests, shownBy, more };
  },
);

/** How many requirements each section of the release has at level 1 or 2, numbered from 1 on. */
const numbered: Readonly<Record<string, number>> = {
  "3.2": 2,
  "3.3": 4,
  "3.4": 6,
  "3.5": 5,
  "3.7": 2,
  "6.1": 3,
  "6.2": 12,
  "6.3": 4,
  "6.4": 4,
  "6.5": 5,
  "6.6": 3,
  "6.8": 4,
  "7.1": 3,
  "7.2": 4,
  "7.3": 2,
  "7.4": 5,
  "7.5": 2,
  "7.6": 2,
  "9.1": 3,
  "9.2": 4,
  "16.1": 1,
  "16.2": 5,
  "16.3": 4,
  "16.4": 3,
  "16.5": 3,
};

const levelOne =
  "3.2.1 3.2.2 3.3.1 3.4.1 3.4.2 3.5.1 3.5.2 3.5.3 6.1.1 6.2.1 6.2.2 6.2.3 6.2.4 6.2.5 6.2.6 6.2.7 6.2.8 6.3.1 6.3.2 6.4.1 6.4.2 7.2.1 7.2.2 7.2.3 7.2.4 7.4.1 7.4.2 9.1.1 9.1.2 9.1.3 9.2.1";

test("the table has every requirement of levels 1 and 2 in the five chapters, once, in order", () => {
  const all = Object.entries(numbered).flatMap(([section, count]) =>
    Array.from({ length: count }, (_, i) => `${section}.${i + 1}`),
  );
  assert.deepEqual(
    rows.map(({ number }) => number),
    all,
  );
});

test("each row has the level that the release gives it, and none is of level 3", () => {
  const ofLevel = (wanted: string) => rows.filter(({ level }) => level === wanted);
  assert.equal(
    ofLevel("1")
      .map(({ number }) => number)
      .join(" "),
    levelOne,
  );
  assert.equal(ofLevel("1").length + ofLevel("2").length, rows.length);
});

test("each row is whole: what is asked, one of the four states, and why", () => {
  for (const { number, asks, state, why, more } of rows) {
    assert.ok(asks !== "" && why !== "", number);
    assert.ok(states.includes(state), `${number}: ${state}`);
    assert.deepEqual(more, [], `${number} has a cell too many`);
  }
});

test("what is met or set aside names tests that exist, and what is not applicable names none", () => {
  for (const { number, state, tests, shownBy } of rows) {
    if (state === "not applicable") assert.equal(tests, "none", number);
    else assert.ok(shownBy.length > 0 || (state === "not met" && tests === "none"), number);
    for (const path of shownBy) {
      assert.match(path, /^(proof\/attack\/)?test\/.+\.test\.ts$/, number);
      assert.ok(existsSync(at(path)), `${number}: ${path}`);
    }
  }
});

test("SECURITY.md counts each chapter as the table does", () => {
  const counted = rowsOf(security, /^V\d+ /).map(([chapter = "", ...counts]) => [
    chapter.slice(1).split(" ")[0],
    ...counts.map(Number),
  ]);
  const expected = [...new Set(rows.map(({ number }) => number.split(".")[0]))].map((chapter) => [
    chapter,
    ...states.map(
      (wanted) =>
        rows.filter(({ number, state }) => state === wanted && number.startsWith(`${chapter}.`))
          .length,
    ),
  ]);
  assert.deepEqual(counted, expected);
});

for (const { state, after } of [
  { state: "set aside", after: "Set aside, because" },
  { state: "not met", after: "Not met:" },
]) {
  test(`SECURITY.md itself lists all that is ${state}, and nothing else under those words`, () => {
    const [, rest = ""] = security.split(`\n${after}`);
    const [list = ""] = rest.split(/\n\n(?!- )/);
    const listed = [...list.matchAll(/\b\d+\.\d+\.\d+\b/g)].map(([number]) => number);
    const expected = rows.filter((row) => row.state === state).map(({ number }) => number);
    assert.deepEqual(listed.toSorted(), expected.toSorted());
  });
}

/** What stands under a heading. */
function section(heading: string): string {
  const [, rest] = security.split(`\n## ${heading}\n`);
  assert.ok(rest !== undefined, `there is a section "${heading}"`);
  return rest.split("\n## ")[0] ?? "";
}

test("SECURITY.md tells the limits of sign-ins and sessions as they are, and the ways in", () => {
  const guessing = section("How guessing is slowed down");
  assert.match(guessing, new RegExp(`any ${attemptRule.windowMs / 1_000} seconds`));
  assert.match(guessing, new RegExp(attemptRule.maxTracked.toLocaleString("en")));
  assert.match(guessing, /No account is ever locked/);
  const lasting = section("How long a session lasts, and why");
  assert.match(lasting, new RegExp(`\\*\\*${SESSION_LIFETIME_SECONDS / 86_400} days`));
  assert.match(lasting, /Any number at once/);
  assert.match(
    section("The ways in"),
    /`\/login`[\s\S]*setup[\s\S]*AUTH_SECRET[\s\S]*user password/,
  );
});

test("a sign-in and a sign-out leave older tokens as they are, as is told", async (t) => {
  const gate = await startGate(t);
  const first = await gate.setUp();
  const { session: second } = await gate.signIn({}, { session: first });
  await gate.send("/logout", { form: {}, session: second });
  for (const session of [first, second]) {
    assert.equal((await gate.send("/", { session })).status, 200);
  }
});
