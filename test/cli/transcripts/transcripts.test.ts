import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { commands } from "../../../src/cli/commands.ts";
import { runCommand } from "../../support/command.ts";
import { type Ending, startLatchkey } from "../../support/process.ts";
import { piped } from "../user/terminal.ts";
import { type Place, placeFor } from "./place.ts";
import type { Transcripts } from "./transcript.ts";
import { transcripts } from "./transcripts.ts";

const COLOUR = new RegExp(`${"\u001b"}\\[[\\d;]*m`);

async function withoutTerminal(
  t: TestContext,
  place: Place,
  { args, input, until }: Transcripts["piped"],
): Promise<Omit<Ending, "signal">> {
  const given = await place.filledIn(args);
  if (until === undefined) return piped(t, given, place.env, input);
  const running = startLatchkey(t, given, place.env);
  await running.shows(until);
  running.child.kill("SIGTERM");
  return running.ended;
}

for (const { name } of commands) {
  const known = transcripts[name];
  if (known === undefined) {
    test(`there is a transcript of ${name}`, () => assert.fail(`the table has none of ${name}`));
    continue;
  }
  const { piped: inPipe, failing } = known;

  test(`${name} prints its result alone on standard output of a pipe, without colours`, async (t) => {
    const { code, stdout, stderr } = await withoutTerminal(t, await placeFor(t), inPipe);
    assert.match(stdout, inPipe.stdout);
    assert.match(stderr, inPipe.stderr ?? /^$/);
    assert.equal(code, 0);
    assert.doesNotMatch(`${stdout}${stderr}`, COLOUR);
  });

  test(`${name} reports a failure in one line on standard error and exits with ${failing.code}`, async (t) => {
    const place = await placeFor(t);
    const ending = await runCommand(await place.filledIn(failing.args), { env: place.env });
    assert.deepEqual([ending.code, ending.stdout], [failing.code, ""]);
    assert.match(ending.stderr, /^latchkey: [^\n]+\n$/);
    assert.match(ending.stderr.trimEnd(), failing.says);
  });
}

test("every transcript is of an existing command", () => {
  const names = new Set(commands.map(({ name }) => name));
  assert.deepEqual(
    Object.keys(transcripts).filter((name) => !names.has(name)),
    [],
  );
});
