import assert from "node:assert/strict";
import { test } from "node:test";
import { serveHere } from "../../support/command.ts";
import { type RunningGate, SECRET, startGate } from "../../support/gate.ts";
import { jsonLines } from "../../support/json-lines.ts";
import { fileWith, tempDir } from "../../support/temp-dir.ts";
import { problems, settled, wholeSettings } from "./settings-reading.ts";

const URL_TEXT = "postgres://me:hunter2@db.example/latchkey";
const OLD = "the secret of yesterday: 32 bytes";
const NEW = "the secret of tomorrow: 32 bytes!";

const contents: readonly (readonly [what: string, content: string, secret: string])[] = [
  ["a line", "hunter2\n", "hunter2"],
  ["a Windows line break", "hunter2\r\n", "hunter2"],
  ["no line break", "hunter2", "hunter2"],
  ["two line breaks", "hunter2\n\n", "hunter2\n"],
  ["spaces and tabs", " hunter2\t \n", " hunter2\t "],
  ["letters beyond ASCII", "jäger2 🔑\n", "jäger2 🔑"],
];
test("reads AUTH_SECRET_FILE and DATABASE_URL_FILE without a line break", async (t) => {
  for (const [what, content, secret] of contents) {
    const read = settled({ AUTH_SECRET_FILE: await fileWith(t, content) });
    assert.equal(read.secret, secret, what);
  }
  const read = settled({ DATABASE_URL_FILE: await fileWith(t, `${URL_TEXT}\n`) });
  assert.deepEqual(read.database, { kind: "postgres", url: URL_TEXT });
});

test("reads AUTH_SECRET_PREVIOUS from the variable or the lines of a file", async (t) => {
  const inFile = await fileWith(t, `${OLD}\n two, three \r\n`);
  assert.deepEqual(settled({ AUTH_SECRET_PREVIOUS: "one, two" }).previousSecrets, ["one", "two"]);
  const previous = settled({ AUTH_SECRET_PREVIOUS_FILE: inFile }).previousSecrets;
  assert.deepEqual(previous, [OLD, " two, three "]);
  assert.deepEqual(settled({}).previousSecrets, []);
  assert.equal(problems({ AUTH_SECRET_PREVIOUS: "one,,two" }).length, 1);
  const blank = await fileWith(t, "\n\r\n\n");
  assert.equal(problems({ AUTH_SECRET_PREVIOUS_FILE: blank }).length, 1);
});

test("accepts the file as a flag beside an empty value", async (t) => {
  const file = await fileWith(t, SECRET);
  assert.equal(settled({}, { AUTH_SECRET_FILE: file }).secret, SECRET);
  assert.equal(settled({ AUTH_SECRET: "", AUTH_SECRET_FILE: file }).secret, SECRET);
  assert.equal(settled({ AUTH_SECRET: SECRET, AUTH_SECRET_FILE: "" }).secret, SECRET);
});

const NAMES = ["AUTH_SECRET", "AUTH_SECRET_PREVIOUS", "DATABASE_URL"] as const;
const VALUES = { AUTH_SECRET: "hunter2", AUTH_SECRET_PREVIOUS: "hunter2", DATABASE_URL: URL_TEXT };

for (const name of NAMES) {
  const file = `${name}_FILE`;

  test(`rejects ${name} together with ${file}, without repeating either`, async (t) => {
    const found = problems({ [name]: VALUES[name], [file]: await fileWith(t, VALUES[name]) });
    assert.deepEqual(found, [`${name} and ${file} are both set: remove one of them`]);
  });

  test(`reports an unusable ${file} in one line, without its path or content`, async (t) => {
    const unusable = {
      missing: "/nowhere/hunter2",
      "the value instead of a path": "hunter2hunter2hunter2",
      folder: await tempDir(t),
      empty: await fileWith(t, ""),
      "a line break alone": await fileWith(t, "\n"),
      "not UTF-8": await fileWith(t, Buffer.from("hunter2 \xff\xfe", "latin1")),
    };
    for (const [what, path] of Object.entries(unusable)) {
      const found = problems({ [file]: path });
      assert.equal(found.length, 1, `${what}: ${found}`);
      assert.match(found.join(), new RegExp(`^${file} names [^\\n]+$`), what);
      assert.doesNotMatch(found.join(), /hunter2/, what);
    }
  });
}

test("reports an invalid URL in a file without repeating it", async (t) => {
  const told = problems({ DATABASE_URL_FILE: await fileWith(t, "mysql://me:hunter2@db/x\n") });
  assert.equal(told.length, 1);
  assert.match(told.join(), /^DATABASE_URL.*: invalid database URL: it must start with postgres:/);
  assert.doesNotMatch(told.join(), /hunter2/);
});

test("passes the environment without the secrets to programs that the gate runs", () => {
  const others = { PATH: "/bin", LANG: "C" };
  const env = { ...VALUES, ...others, PGPASSWORD: "hunter2" };
  assert.deepEqual(wholeSettings(env).programEnvironment, others);
});

test("two gates accept each other's sessions while a secret is replaced", async (t) => {
  const dataDir = await tempDir(t);
  const gateWith = (secret: string, ...previousSecrets: readonly string[]) =>
    startGate(t, { dataDir, secret, previousSecrets });
  const before = await gateWith(OLD);
  const ofBefore = await before.setUp();
  const first = await gateWith(OLD, NEW);
  const second = await gateWith(NEW, OLD);
  const after = await gateWith(NEW);
  const { session: ofFirst } = await first.signIn();
  const { session: ofSecond } = await second.signIn();
  const admits = async (gate: RunningGate, session?: string) =>
    (await gate.send("/account/profile", { session })).status === 200;
  const admitted = (gate: RunningGate) =>
    Promise.all([ofBefore, ofFirst, ofSecond].map((session) => admits(gate, session)));
  assert.deepEqual(await admitted(first), [true, true, true]);
  assert.deepEqual(await admitted(second), [true, true, true]);
  assert.deepEqual(await admitted(before), [true, true, false], "signed with the old one alone");
  assert.deepEqual(await admitted(after), [false, false, true], "signed with the new one alone");
});

test("warns about guessable secrets in the server log without showing them", async (t) => {
  const secrets = { AUTH_SECRET: "change-me-please", AUTH_SECRET_PREVIOUS: `${OLD},hunter2` };
  const gate = await serveHere(t, { DATA_DIR: await tempDir(t), ...secrets });
  const warnings = jsonLines(gate.stdout()).filter(({ level }) => level === "warn");
  const [current = "", previous = "", ...others] = warnings.map(({ msg }) => String(msg));
  assert.match(current, /^the secret can be guessed: .*placeholder/);
  assert.match(previous, /^a previous secret can be guessed: .*32 characters$/);
  assert.deepEqual(others, []);
  assert.doesNotMatch(`${gate.stdout()}${gate.stderr()}`, /change-me|hunter2|yesterday/);
});
