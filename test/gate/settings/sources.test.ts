import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileWith, tempDir } from "../../support/temp-dir.ts";
import { problems, settled, warnings, wholeProblems } from "./settings-reading.ts";

test("names a missing file and a folder by their absolute path", async (t) => {
  const dir = await tempDir(t);
  await mkdir(join(dir, "folder"));
  const [missing, folder] = [join(dir, "missing"), join(dir, "folder")];
  const found = problems({}, {}, missing);
  assert.deepEqual(found, [`--env-file: cannot read ${missing}: no such file or folder`]);
  assert.deepEqual(problems({}, {}, folder), [`--env-file: cannot read ${folder}: it is a folder`]);
  assert.deepEqual(problems({}, {}, "not-there"), [
    `--env-file: cannot read ${join(process.cwd(), "not-there")}: no such file or folder`,
  ]);
});

/** The file, and the lines that are reported. */
const invalid: readonly (readonly [text: string, reported: string | undefined])[] = [
  ["LOCALE=de\nPORT 4000\n", "2"],
  ["LOCALE=de\r\nPORT 4000\r\n", "2"],
  ["PORT: 4000", "1"],
  ["=4000\n", "1"],
  ["; PORT=4000\n", "1"],
  ['APP_NAME="a\nb"\nnonsense\n', "3"],
  ['APP_NAME="never closed\nnonsense\nLOCALE=de\n', "2"],
  ["a\nb\n\nc", "1, 2, 4"],
  ["a\nb\nc\nd\ne\nf\ng", "1, 2, 3, 4, 5"],
  ["\n# PORT 4000\n  # and this\n \t\nLOCALE=de # a remark\n", undefined],
  ["export LOCALE=de\n  LOCALE = de\nLOCALE=\n", undefined],
  ['APP_NAME="a\nb c\nd"\nLOCALE=de\n', undefined],
  ["APP_NAME='a\nb c' # \"\nLOCALE=de\n", undefined],
  ["APP_NAME=`a\n\"b\n'c\nd`\n", undefined],
  ['APP_NAME="one line" # it\'s\nLOCALE=de\n', undefined],
];
for (const [text, reported] of invalid) {
  test(`in ${JSON.stringify(text)}, reports ${reported ?? "no line"}`, async (t) => {
    const env = { APP_NAME: "valid" };
    const lines = problems(env, {}, await fileWith(t, text));
    const expected = `--env-file: expected NAME=value in line ${reported}`;
    assert.deepEqual(lines, reported === undefined ? [] : [expected]);
  });
}

test("an invalid line may have set any setting, and is not repeated", async (t) => {
  const file = await fileWith(t, "DATABASE_URL postgres://u:hunter2@db/x?sslmode=require\n");
  const message = "--env-file: expected NAME=value in line 1";
  assert.deepEqual(wholeProblems({}, {}, file), [{ about: ["--env-file"], message }]);
  assert.doesNotMatch(JSON.stringify(warnings({}, file)), /hunter2/);
});

test("ignores a byte order mark", async (t) => {
  assert.equal(settled({}, {}, await fileWith(t, "\uFEFFPORT=4001\n")).port, 4001);
});

test("reports that the env file names a secret file that cannot be read", async (t) => {
  const file = await fileWith(t, "AUTH_SECRET_FILE=/nowhere/hunter2\nAUTH_SECRET=x\n");
  assert.deepEqual(problems({}, {}, file), [
    "AUTH_SECRET and AUTH_SECRET_FILE are both set: remove one of them",
    "AUTH_SECRET_FILE names a file that cannot be read: no such file or folder",
  ]);
});

test("warns about names in the file that are not settings", async (t) => {
  const file = await fileWith(t, "COLOUR=red\nPORT=4000\nPOST=4000\nCOLOUR=blue\n");
  const expected = ["COLOUR is not a setting", "POST is not a setting"];
  assert.deepEqual(warnings({}, file), expected);
  assert.deepEqual(warnings({ COLOUR: "green" }, file), expected);
  const ofOthers = { COLOUR: "red", POST: "4000" };
  assert.deepEqual(warnings(ofOthers), [], "other programs use the environment too");
});

test("accepts variables for Node.js and the system in the file", async (t) => {
  const names = ["NODE_ENV", "NODE_OPTIONS", "TZ", "PATH", "LANG", "LC_ALL"];
  const file = await fileWith(t, names.map((name) => `${name}=x\n`).join(""));
  assert.deepEqual(warnings({}, file), []);
});
