import assert from "node:assert/strict";
import { test } from "node:test";
import { onTerminal } from "../user/terminal.ts";
import { type Place, placeFor } from "./place.ts";
import { transcripts } from "./transcripts.ts";

const COLOUR = new RegExp(`${"\u001b"}\\[[\\d;]*m`);

const words = (args: readonly string[]): string => args.map((arg) => `'${arg}'`).join(" ");

/** The shell line for these arguments. The shell itself ignores Ctrl-C. */
const typed = async (place: Place, args: readonly string[], rest = ""): Promise<string> =>
  `trap : INT; latchkey ${words(await place.filledIn(args))}${rest}`;

for (const [name, { terminal, failing }] of Object.entries(transcripts)) {
  test(`${name} prints its result on a terminal`, async (t) => {
    const place = await placeFor(t);
    const { args, answers, shown } = terminal;
    const session = await onTerminal(t, await typed(place, args), place.env, answers);
    assert.match(session.shown, shown);
    assert.equal(session.code, 0);
  });

  test(`${name} reports a failure on a terminal while its result is redirected`, async (t) => {
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
