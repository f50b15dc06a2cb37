import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { tempDir } from "../../support/temp-dir.ts";
import { problems, settled, warnings, wholeProblems } from "./settings-reading.ts";

async function envFile(t: TestContext, text: string): Promise<string> {
  const file = join(await tempDir(t), "env");
  await writeFile(file, text);
  return file;
}

test("a file that is not there, and one that is a folder, are named with their whole path", async (t) => {
  const dir = await tempDir(t);
  await mkdir(join(dir, "folder"));
  const [missing, folder] = [join(dir, "missing"), join(dir, "folder")];
  assert.deepEqual(problems({}, {}, missing), [`--env-file: there is no file ${missing}`]);
  assert.deepEqual(problems({}, {}, folder), [`--env-file: ${folder} is a folder`]);
  assert.deepEqual(problems({}, {}, "not-there"), [
    `--env-file: there is no file ${join(process.cwd(), "not-there")}`,
  ]);
});

/** What stands in the file, and the lines of it that are told of. */
const strange: readonly (readonly [text: string, told: string | undefined])[] = [
  ["LOCALE=de\nPORT 4000\n", "line 2 is"],
  ["LOCALE=de\r\nPORT 4000\r\n", "line 2 is"],
  ["PORT: 4000", "line 1 is"],
  ["=4000\n", "line 1 is"],
  ["DATABASE_URL postgres://u:hunter2@db/x?sslmode=require\n", "line 1 is"],
  ["; PORT=4000\n", "line 1 is"],
  ['APP_NAME="a\nb"\nnonsense\n', "line 3 is"],
  ['APP_NAME="never closed\nnonsense\nLOCALE=de\n', "line 2 is"],
  ["a\nb\n\nc", "lines 1, 2, 4 are"],
  ["a\nb\nc\nd\ne\nf\ng", "lines 1, 2, 3, 4, 5 and more are"],
  ["\n# PORT 4000\n  # and this\n \t\nLOCALE=de # a remark\n", undefined],
  ["export LOCALE=de\n  LOCALE = de\nLOCALE=\n", undefined],
  ['APP_NAME="a\nb c\nd"\nLOCALE=de\n', undefined],
  ["APP_NAME='a\nb c' # \"\nLOCALE=de\n", undefined],
  ["APP_NAME=`a\n\"b\n'c\nd`\n", undefined],
  ['APP_NAME="one line" # it\'s\nLOCALE=de\n', undefined],
  ["\uFEFFLOCALE=de\n", undefined],
];
for (const [text, told] of strange) {
  test(`of ${JSON.stringify(text)}, ${told?.replace(/ (is|are)$/, "") ?? "no line"} is told to be no NAME=value`, async (t) => {
    const env = { APP_NAME: "one that can be taken" };
    const lines = problems(env, {}, await envFile(t, text));
    assert.deepEqual(lines, told === undefined ? [] : [`--env-file: ${told} no NAME=value`]);
  });
}

test("with a line that is no NAME=value, nothing is known of what it was to set", async (t) => {
  const [problem] = wholeProblems({}, {}, await envFile(t, "PORT 4000\n"));
  assert.deepEqual(problem?.about, ["--env-file"]);
});

test("a mark at the beginning, as some editors leave it, is no part of the first name", async (t) => {
  assert.equal(settled({}, {}, await envFile(t, "\uFEFFPORT=4001\n")).port, 4001);
});

test("of a wrong value from the file it is told that it stands there, and of others not", async (t) => {
  const file = await envFile(t, "PORT=http\n");
  const takes = "takes a number from 0 (any free port) to 65535";
  assert.deepEqual(problems({}, {}, file), [`PORT (in --env-file) ${takes}`]);
  assert.deepEqual(problems({ PORT: "" }, {}, file), [`PORT (in --env-file) ${takes}`]);
  assert.deepEqual(problems({ PORT: "www" }, {}, file), [`PORT ${takes}`]);
  assert.deepEqual(problems({}, { PORT: "www" }, file), [`PORT ${takes}`]);
});

test("a secret's file that the env file names wrongly is told to be named there", async (t) => {
  const file = await envFile(t, "AUTH_SECRET_FILE=/nowhere/hunter2\nAUTH_SECRET=x\n");
  assert.deepEqual(problems({}, {}, file), [
    "AUTH_SECRET (in --env-file) and AUTH_SECRET_FILE (in --env-file) are both set",
    "AUTH_SECRET_FILE (in --env-file) names a file that cannot be read: ENOENT",
  ]);
});

test("LATCHKEY_… that is no setting is refused from the file, too", async (t) => {
  const file = await envFile(t, "LATCHKEY_COLOUR=red\n");
  assert.deepEqual(problems({}, {}, file), ["LATCHKEY_COLOUR is not a setting"]);
});

test("names in the file that are no settings are told in one warning, each once", async (t) => {
  const file = await envFile(t, "COLOUR=red\nPORT=4000\nPOST=4000\nCOLOUR=blue\n");
  const strange = "--env-file has what is not a setting: COLOUR, POST";
  assert.deepEqual(warnings({}, file), [strange]);
  assert.deepEqual(warnings({ COLOUR: "green" }, file), [strange]);
  assert.deepEqual(warnings({ COLOUR: "red", POST: "4000" }), [], "an environment has others'");
});

test("a name in the file that is nearly a setting is warned about as such, and not twice", async (t) => {
  const file = await envFile(t, "SETUP_TOKEN=x\nDATADIR=/srv\n");
  assert.deepEqual(warnings({ DATADIR: "/srv" }, file), [
    "DATADIR is not a setting: was DATA_DIR meant?",
    "SETUP_TOKEN is not a setting: was SETUP_TOKEN_FILE meant?",
  ]);
});

test("what is for Node or the system may stand in the file", async (t) => {
  const names = ["NODE_ENV", "NODE_OPTIONS", "TZ", "PATH", "LANG", "LC_ALL"];
  const file = await envFile(t, names.map((name) => `${name}=x\n`).join(""));
  assert.deepEqual(warnings({}, file), []);
});

test("what is no name is not repeated: it may be a secret", async (t) => {
  const file = await envFile(t, "DATABASE_URL postgres://u:hunter2@db/x?sslmode=require\n");
  assert.doesNotMatch(JSON.stringify([problems({}, {}, file), warnings({}, file)]), /hunter2/);
});
