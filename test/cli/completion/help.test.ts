import assert from "node:assert/strict";
import { test } from "node:test";
import { runLatchkey } from "../../support/process.ts";

test("the help of completion says for each shell where its script goes", async (t) => {
  const { stdout } = await runLatchkey(t, ["completion", "--help"]);
  for (const place of [
    "latchkey completion bash > ~/.local/share/bash-completion/completions/latchkey",
    "source <(latchkey completion bash)",
    "latchkey completion zsh > FOLDER/_latchkey",
    "source <(latchkey completion zsh)",
    "latchkey completion fish > ~/.config/fish/completions/latchkey.fish",
  ]) {
    assert.ok(stdout.includes(place), place);
  }
});

test("a completion script is the same each time, needs no database and no data folder", async (t) => {
  const env = { DATA_DIR: "/nowhere", AUTH_SECRET: "what nobody may see", PORT: "no number" };
  for (const shell of ["bash", "zsh", "fish"]) {
    const first = await runLatchkey(t, ["completion", shell]);
    const second = await runLatchkey(t, ["completion", shell], env);
    assert.deepEqual([second.code, second.stderr], [0, ""]);
    assert.equal(second.stdout, first.stdout);
    assert.match(first.stdout, /completion for latchkey|^#compdef latchkey/);
  }
});
