import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { attemptRule } from "../../src/core/limits/attempt-limiter.ts";
import { SESSION_LIFETIME_SECONDS } from "../../src/core/sessions/session-token.ts";
import { at, rowsOf, text } from "./pages.ts";

const states = ["met", "not applicable", "by design", "not met"];
const security = text("SECURITY.md");
const assessment = text("docs/asvs.md");

const rows = rowsOf(assessment, /^\d+\.\d+\.\d+$/).map(
  ([number = "", level = "", requirement = "", state = "", why = "", tests = "", ...more]) => {
    const files = [...tests.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path);
    return { number, level, requirement, state, why, tests, files, more };
  },
);

/** The number of requirements in each section of the release at level 1 or 2, numbered from 1. */
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

test("lists every requirement of levels 1 and 2 in the five chapters once, in order", () => {
  const all = Object.entries(numbered).flatMap(([section, count]) =>
    Array.from({ length: count }, (_, i) => `${section}.${i + 1}`),
  );
  assert.deepEqual(
    rows.map(({ number }) => number),
    all,
  );
});

test("gives each requirement its level in the release, and lists none of level 3", () => {
  const ofLevel = (wanted: string) => rows.filter(({ level }) => level === wanted);
  assert.equal(
    ofLevel("1")
      .map(({ number }) => number)
      .join(" "),
    levelOne,
  );
  assert.equal(ofLevel("1").length + ofLevel("2").length, rows.length);
});

test("gives each row a requirement, one of the four states, and a reason", () => {
  for (const { number, requirement, state, why, more } of rows) {
    assert.ok(requirement !== "" && why !== "", number);
    assert.ok(states.includes(state), `${number}: ${state}`);
    assert.deepEqual(more, [], `${number} has too many cells`);
  }
});

test("names existing tests for what is met or by design, and none for what is not applicable", () => {
  for (const { number, state, tests, files } of rows) {
    if (state === "not applicable") assert.equal(tests, "none", number);
    else assert.ok(files.length > 0 || (state === "not met" && tests === "none"), number);
    for (const path of files) {
      assert.match(path, /^(proof\/attack\/)?test\/.+\.test\.ts$/, number);
      assert.ok(existsSync(at(path)), `${number}: ${path}`);
    }
  }
});

test("counts each chapter in the summary as in the tables", () => {
  const counted = rowsOf(assessment, /^V\d+ /).map(([chapter = "", ...counts]) => [
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

for (const { state, heading } of [
  { state: "by design", heading: "By design:" },
  { state: "not met", heading: "Not met:" },
]) {
  test(`lists exactly what is ${state} in the summary`, () => {
    const [, rest = ""] = assessment.split(`\n${heading}\n\n`);
    const [list = ""] = rest.split(/\n\n(?!- )/);
    const listed = [...list.matchAll(/\b\d+\.\d+\.\d+\b/g)].map(([number]) => number);
    const expected = rows.filter((row) => row.state === state).map(({ number }) => number);
    assert.deepEqual(listed.toSorted(), expected.toSorted());
  });
}

test("SECURITY.md names existing tests for each threat", () => {
  const threats = security.split("\n## ").find((part) => part.startsWith("Threats and answers\n"));
  const table = (threats ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(1);
  assert.ok(table.length > 20, "finds threats");
  for (const row of table) {
    const files = [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, path = ""]) => path);
    assert.ok(files.length > 0 && files.every((path) => existsSync(at(path))), row);
  }
});

/** The text below a heading. */
function section(heading: string): string {
  const [, rest] = security.split(`\n## ${heading}\n`);
  assert.ok(rest !== undefined, `there is a section "${heading}"`);
  return rest.split("\n## ")[0] ?? "";
}

test("SECURITY.md states the limits of sign-ins and sessions that the code has", () => {
  const guessing = section("Limits on guessing");
  assert.match(guessing, new RegExp(`any ${attemptRule.windowMs / 1_000} seconds`));
  assert.match(guessing, new RegExp(attemptRule.maxTracked.toLocaleString("en")));
  assert.match(guessing, /No account is ever locked/);
  const lifetime = section("Session lifetime");
  assert.match(lifetime, new RegExp(`\\*\\*${SESSION_LIFETIME_SECONDS / 86_400} days`));
  assert.match(lifetime, /Any number at once/);
  assert.match(
    section("Ways to sign in"),
    /`\/login`[\s\S]*setup[\s\S]*AUTH_SECRET[\s\S]*user password/,
  );
});
