import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { commands } from "../../../src/cli/commands.ts";
import { type Ending, startLatchkey } from "../../support/process.ts";
import { onTerminal, piped } from "../user/terminal.ts";
import { type Place, placeFor } from "./place.ts";
import type { Sessions } from "./session.ts";
import { sessions } from "./sessions.ts";

const COLOUR = new RegExp(`${"\u001b"}\\[[\\d;]*m`);

const words = (args: readonly string[]): string => args.map((arg) => `'${arg}'`).join(" ");

/** The line that is typed, with something behind it perhaps. Ctrl-C is not for the shell. */
const typed = async (place: Place, args: readonly string[], rest = ""): Promise<string> =>
  `trap : INT; latchkey ${words(await place.filledIn(args))}${rest}`;

async function withoutTerminal(
  t: TestContext,
  place: Place,
  { args, input, until }: Sessions["piped"],
): Promise<Omit<Ending, "signal">> {
  const given = await place.filledIn(args);
  if (until === undefined) return piped(t, given, place.env, input);
  const running = startLatchkey(t, given, place.env);
  await running.shows(until);
  running.child.kill("SIGTERM");
  return running.ended;
}

for (const { name } of commands) {
  const known = sessions[name];
  if (known === undefined) {
    test(`there is a session of ${name}`, () => assert.fail(`the table has none of ${name}`));
    continue;
  }
  const { terminal, piped: inPipe, failing } = known;

  test(`${name} on a terminal, as somebody sees it`, async (t) => {
    const place = await placeFor(t);
    const { args, answers, shown } = terminal;
    const session = await onTerminal(t, await typed(place, args), place.env, answers);
    assert.match(session.shown, shown);
    assert.equal(session.code, 0);
  });

  test(`${name} in a pipe: its result alone on standard output, and no colours`, async (t) => {
    const { code, stdout, stderr } = await withoutTerminal(t, await placeFor(t), inPipe);
    assert.match(stdout, inPipe.stdout);
    assert.match(stderr, inPipe.stderr ?? /^$/);
    assert.equal(code, 0);
    assert.doesNotMatch(`${stdout}${stderr}`, COLOUR);
  });

  test(`${name} that fails says why in one line on standard error, and exits with ${failing.code}`, async (t) => {
    const place = await placeFor(t);
    const ending = await piped(t, await place.filledIn(failing.args), place.env);
    assert.deepEqual([ending.code, ending.stdout], [failing.code, ""]);
    assert.match(ending.stderr, /^latchkey: [^\n]+\n$/);
    assert.match(ending.stderr.trimEnd(), failing.says);
  });

  test(`${name} that fails says the same on a terminal, to which its result does not go`, async (t) => {
    const place = await placeFor(t);
    const line = await typed(
      place,
      failing.args,
      ' >"$DATA_DIR/result"; code=$?; wc -c <"$DATA_DIR/result"; exit $code',
    );
    const { code, shown } = await onTerminal(t, line, place.env);
    const [, said = ""] = /^(latchkey: [^\n]+)\n0\n$/.exec(shown) ?? [];
    assert.match(said, failing.says, shown);
    assert.equal(code, failing.code);
    assert.doesNotMatch(shown, COLOUR);
  });
}

test("no session is of a command that there is not", () => {
  const names = new Set(commands.map(({ name }) => name));
  assert.deepEqual(
    Object.keys(sessions).filter((name) => !names.has(name)),
    [],
  );
});
