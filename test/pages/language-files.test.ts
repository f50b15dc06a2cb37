import assert from "node:assert/strict";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { type TestContext, test } from "node:test";
import { readLanguageFile } from "../../src/pages/language-files.ts";
import type * as Words from "../../src/pages/words.ts";

/** Loads the module anew, since other tests of this process have read the languages. */
async function loadWords(t: TestContext): Promise<typeof Words> {
  const url = new URL("../../src/pages/words.ts", import.meta.url);
  url.searchParams.set("for", t.name);
  return import(url.href);
}

/** Replaces the files of texts until the test ends, as an upgrade does while the process runs. */
function replaceFiles(t: TestContext, read: () => string): () => void {
  const mocked = t.mock.method(fs, "readFileSync", read);
  syncBuiltinESMExports();
  const restore = (): void => {
    mocked.mock.restore();
    syncBuiltinESMExports();
  };
  t.after(restore);
  return restore;
}

test("uses English while the file of a language cannot be read, and the language after that", async (t) => {
  const { getWords } = await loadWords(t);
  const english = getWords("en");
  const czech = JSON.parse(readLanguageFile("cs.json"));
  for (const read of [
    () => {
      throw Object.assign(new Error("no such file"), { code: "ENOENT" });
    },
    () => '{ "signIn": "Přih',
  ]) {
    const restore = replaceFiles(t, read);
    assert.equal(getWords("cs"), english);
    restore();
  }
  assert.equal(getWords("cs").signIn, czech.signIn);
});

test("uses the English text in place of one that a file does not have", async (t) => {
  const { getWords } = await loadWords(t);
  const english = getWords("en");
  const { signIn, active, messages, ...others } = JSON.parse(readLanguageFile("sv.json"));
  const { linkGone, ...otherMessages } = messages;
  replaceFiles(t, () => JSON.stringify({ ...others, messages: otherMessages }));
  const swedish = getWords("sv");
  assert.equal(swedish.signIn, english.signIn);
  assert.equal(swedish.active("2"), english.active("2"));
  assert.equal(swedish.messages.linkGone, english.messages.linkGone);
  assert.equal(swedish.messages.usernameTaken, messages.usernameTaken);
  assert.equal(swedish.password, others.password);
});

test("reads a language once", async (t) => {
  const { getWords } = await loadWords(t);
  const dutch = getWords("nl");
  replaceFiles(t, () => assert.fail("read again"));
  assert.equal(getWords("nl"), dutch);
});
