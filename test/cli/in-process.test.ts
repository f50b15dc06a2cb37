import assert from "node:assert/strict";
import { test } from "node:test";
import { commands } from "../../src/cli/commands.ts";
import { send } from "../support/client.ts";
import { runCommand, startCommand } from "../support/command.ts";
import { tempDir } from "../support/temp-dir.ts";
import { sqlitePlace } from "./user/place.ts";

test("a command takes its settings from the given environment", async (t) => {
  const { code, stdout, stderr } = await runCommand(["log"], { env: { DATA_DIR: "/nowhere" } });
  const line = "latchkey: there is no database at /nowhere/latchkey.db\n";
  assert.deepEqual([code, stdout, stderr], [1, "", line]);
  const { env } = await sqlitePlace(t, "owner");
  assert.equal((await runCommand(["log"], { env })).code, 0);
});

test("a command reads the given standard input and returns its exit code", async (t) => {
  const { env } = await sqlitePlace(t, "owner");
  const args = ["user", "add", "guest", "--password-stdin"];
  const added = await runCommand(args, { env, input: "correct horse\n" });
  assert.deepEqual(added, { code: 0, stdout: 'Created user "guest".\n', stderr: "" });
  const refused = await runCommand(args, { env, input: "correct horse\n" });
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  assert.equal((await runCommand(["user", "add"], { env })).code, 2);
});

test("import reads the given standard input", async (t) => {
  const { env } = await sqlitePlace(t, "owner");
  const { code, stderr } = await runCommand(["import", "-"], { env, input: "{}\n" });
  assert.equal(code, 1);
  assert.match(stderr, /^latchkey: line 1: /);
});

test("prints the header of a list on a terminal only", async (t) => {
  const { env } = await sqlitePlace(t, "owner");
  const [inPipe, onTerminal, json] = await Promise.all([
    runCommand(["user", "list"], { env }),
    runCommand(["user", "list"], { env, columns: 80 }),
    runCommand(["user", "list", "--json"], { env, columns: 80 }),
  ]);
  assert.equal(onTerminal.stdout, `${"ID".padEnd(36)}  NAME\n${inPipe.stdout}`);
  assert.doesNotMatch(`${inPipe.stdout}${json.stdout}`, /NAME/);
});

test("the help of every command fits a terminal of 60 columns", async () => {
  for (const { name } of commands) {
    const { code, stdout } = await runCommand([...name.split(" "), "--help"], { columns: 60 });
    assert.equal(code, 0);
    const text = stdout.slice(0, stdout.indexOf("\nExamples:"));
    assert.deepEqual(
      text.split("\n").filter((line) => line.length > 60),
      [],
    );
  }
});

test("serve stops on a given signal, with its log on the given standard output", async (t) => {
  const running = startCommand(["serve"], { env: { DATA_DIR: await tempDir(t), PORT: "0" } });
  const [, url = ""] = await running.shows(/listens on (http:\S+?)"/);
  assert.equal((await send(`${url}/setup`)).status, 200);
  running.signal("SIGTERM");
  const { code, stdout } = await running.ended;
  assert.equal(code, 0);
  assert.match(stdout, /"signal":"SIGTERM","msg":"stopping"/);
});
