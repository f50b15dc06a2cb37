import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { whereInstalled } from "../proxies/program.ts";
import { OWNER } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";
import { countOf, startTarget, type Target } from "./target.ts";
import { type Outcome, runTool } from "./tool.ts";

const FORM = "/login:username=^USER^&password=^PASS^:F=error=1";
const FOUND = /\[http-post-form\] host: \S+\s+login: (\S+)\s+password: (.*)/;
const ALLOWED = 5;

/** A word list with the right password at a position, counted from 1. */
const wordsWithRightAt = (place: number, size: number): readonly string[] =>
  Array.from({ length: size }, (_, index) =>
    index + 1 === place ? OWNER.password : `wrong ${index + 1}`,
  );

whereInstalled("hydra", (program) => {
  async function guess(
    t: TestContext,
    target: Target,
    words: readonly string[],
    tasks: number,
  ): Promise<Outcome> {
    const folder = await tempDir(t);
    const list = join(folder, "words");
    await writeFile(list, `${words.join("\n")}\n`);
    const { hostname, port } = new URL(target.url);
    const login = ["-l", OWNER.username, "-P", list, "-s", port, "-t", String(tasks), "-I"];
    const args = [...login, hostname, "http-post-form", FORM];
    return runTool(t, program, args, { folder, withinMs: 180_000 });
  }

  test("hydra finds a password that is among the allowed attempts", async (t) => {
    const target = await startTarget(t);
    await target.setUp();
    const { output } = await guess(t, target, wordsWithRightAt(ALLOWED, ALLOWED), 1);
    assert.deepEqual(FOUND.exec(output)?.slice(1), [OWNER.username, OWNER.password], output);
    assert.match(output, /, 1 valid password found/);
  });

  for (const { place, size, tasks, how } of [
    { place: 6, size: 12, tasks: 1, how: "is the first guess past the limit" },
    { place: 20, size: 60, tasks: 4, how: "comes later, with four connections" },
  ]) {
    test(`hydra does not find a password that ${how}`, async (t) => {
      const target = await startTarget(t);
      await target.setUp();
      const { output } = await guess(t, target, wordsWithRightAt(place, size), tasks);
      assert.doesNotMatch(output, FOUND);
      assert.match(output, / 0 valid password found/);
      // Hydra may give up a connection with its last word, so the gate tells how many it tried.
      const guesses = countOf(await target.answered(), "/login", "POST");
      assert.ok(guesses >= place, "the right password was among the guesses");
      assert.equal(await target.denials(), guesses - ALLOWED, "every further guess is denied");
      const owner = await target.signIn({ from: "127.0.0.2" });
      assert.equal(owner.location, "/", "the owner can still sign in from another address");
      assert.ok(owner.session);
    });
  }
});
