import assert from "node:assert/strict";
import { test } from "node:test";
import { fetchRequest } from "../../src/index.ts";
import { getWords } from "../../src/pages/words.ts";
import { openAuth } from "../support/auth.ts";
import { OWNER, startConfigured } from "../support/gate.ts";
import { elements } from "../support/markup.ts";
import { maskVaryingParts, postRaw } from "../support/raw.ts";
import { hashText } from "../support/store.ts";
import { FORWARD_AUTH, PUBLIC_URL } from "./forward-auth-asking.ts";

const en = getWords("en");

const hrefs = (html: string): readonly (string | undefined)[] =>
  elements(html, "a").map(({ href }) => href);

test("an unknown username and a wrong password get identical responses", async (t) => {
  const { gate } = await startConfigured(t);
  const wrong = await postRaw(gate.url, "/login", { ...OWNER, password: "wrong" });
  const unknown = await postRaw(gate.url, "/login", { ...OWNER, username: "nobody" });
  assert.match(wrong, /^HTTP\/1\.1 303 See Other\r\n/);
  assert.match(wrong, /^Location: \/login\?error=1\r$/im);
  assert.doesNotMatch(wrong, /^Set-Cookie/im);
  assert.equal(maskVaryingParts(unknown), maskVaryingParts(wrong));
});

test("a rate-limited sign-in has the response of a wrong one", async (t) => {
  const { gate } = await startConfigured(t);
  const wrong = await postRaw(gate.url, "/login", { ...OWNER, password: "wrong" });
  for (let attempt = 2; attempt <= 5; attempt += 1) await gate.signIn({ password: "wrong" });
  const denied = await postRaw(gate.url, "/login", OWNER);
  assert.equal(maskVaryingParts(denied), maskVaryingParts(wrong));
  const entries = await gate.logEntries(2);
  assert.equal(entries.at(-1)?.type, "signin_rate_limited");
});

test("offers a signed-in user to continue, to sign out, or to use another account", async (t) => {
  const { gate, session } = await startConfigured(t, { postLoginLocation: "/start?a&b" });
  const { status, body } = await gate.send("/login", { session });
  assert.equal(status, 200);
  assert.ok(body.includes(`<h1>${en.welcomeBack}</h1>`));
  assert.ok(body.includes(`aria-label="${en.signedInAs("owner")}"`));
  assert.deepEqual(hrefs(body), ["/start?a&amp;b"]);
  const actions = elements(body, "form").map(({ action }) => action);
  assert.deepEqual(actions, ["/logout", "/login"]);
  assert.deepEqual(elements(body, "details"), [{}], "the form is folded");
});

test("a signed-in user continues to the return target", async (t) => {
  const { gate, session } = await startConfigured(t);
  const { body } = await gate.send("/login?return_to=%2Fpage", { session });
  assert.deepEqual(hrefs(body), ["/page"]);
  const other = await gate.send("/login?return_to=%2F%2Fevil.example%2F", { session });
  assert.deepEqual(hrefs(other.body), ["/"]);
});

test("shows a signed-in user the open form after a failed sign-in", async (t) => {
  const { gate, session } = await startConfigured(t);
  const { body } = await gate.send("/login?error=1", { session });
  assert.deepEqual(elements(body, "details"), [{ open: "" }]);
  assert.ok(body.includes(en.signInFailed));
});

test("an unknown address fails a sign-in, after the count of accounts", async (t) => {
  const { auth, store } = await openAuth(t);
  const post = async (path: string) => {
    const body = new URLSearchParams({ ...OWNER, credential: "x" });
    const request = new Request(`http://localhost${path}`, { method: "POST", body });
    const { status, headers } = await auth.adapter.answer(fetchRequest(request));
    return [status, headers.Location];
  };
  const answers = () => Promise.all(["/login", "/login/passkey"].map(post));
  assert.deepEqual(await answers(), Array(2).fill([303, "/setup"]));
  await store.users.insertFirst({ username: "owner", passwordHash: hashText("a hash") });
  assert.deepEqual(await answers(), Array(2).fill([500, undefined]));
});

test("says where the sign-in leads if that is another host", async (t) => {
  const { gate } = await startConfigured(t, FORWARD_AUTH);
  const namedFor = async (target: string): Promise<string | undefined> => {
    const { body } = await gate.send(`/login?return_to=${encodeURIComponent(target)}`);
    return /to continue to <strong><bdi>(.*)<\/bdi><\/strong><\/p>/.exec(body)?.[1];
  };
  assert.equal(await namedFor("https://photos.example.test/a?b"), "photos.example.test");
  for (const target of [`${PUBLIC_URL}/page`, "/page", "https://evil.example/"]) {
    assert.equal(await namedFor(target), undefined, target);
  }
});

test("after a failed sign-in, the title says so and one problem describes both fields", async (t) => {
  const { gate } = await startConfigured(t);
  const shown = async (path: string) => {
    const { body } = await gate.send(path);
    const fields = elements(body, "input");
    const described = fields.filter((field) => field["aria-describedby"] === "problem");
    // Which of the two is wrong stays secret.
    assert.ok(fields.every((field) => field["aria-invalid"] === undefined));
    return [/<title>(.*)<\/title>/.exec(body)?.[1], described.map(({ name }) => name)];
  };
  const title = en.signInTo("Latchkey");
  assert.deepEqual(await shown("/login"), [title, []]);
  assert.deepEqual(await shown("/login?error=1"), [en.problemIn(title), ["username", "password"]]);
});
