import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { getWords } from "../../src/pages/words.ts";
import { addUser } from "../support/add-user.ts";
import { execute, valuesOf } from "../support/database.ts";
import { startConfigured } from "../support/gate.ts";
import { linkPath } from "../support/link.ts";
import { alertsIn, fieldNamed } from "../support/markup.ts";
import { inSeconds, inThePast, mint, partsOf } from "../support/mint.ts";

const en = getWords("en");
const PROFILE = "/account/profile";
const HOST = { Host: "auth.example.org", Accept: "text/html" };
const CHIP = `<span class="chip warn">${en.notConfirmed}</span>`;

type Fields = Readonly<Record<string, string>>;

async function atProfile(t: TestContext) {
  const { gate, session } = await startConfigured(t);
  const open = (own = session) => gate.send(PROFILE, { session: own, headers: HOST });
  /** The form as a browser has it after opening the page. */
  const read = async (own = session): Promise<Fields> => {
    const { body } = await open(own);
    const fields = ["name", "email", "version"].map((name) => fieldNamed(body, name));
    return Object.fromEntries(fields.map(({ name, value = "" }) => [String(name), value]));
  };
  const post = (form: Fields, own = session) =>
    gate.send(PROFILE, { session: own, form, headers: HOST });
  const save = async (fields: Fields, own = session) =>
    post({ ...(await read(own)), ...fields }, own);
  const stored = () =>
    valuesOf(
      gate.databaseFile,
      "SELECT name, email, verified_email FROM latchkey_profiles ORDER BY id",
    );
  const verify = (email: string) =>
    execute(
      gate.databaseFile,
      `UPDATE latchkey_profiles SET verified_email = lower(email) WHERE email = '${email}'`,
    );
  return { gate, session, open, read, post, save, stored, verify };
}

test("a person changes the name and the address, and sees whether it is confirmed", async (t) => {
  const { gate, session, open, read, save, stored, verify } = await atProfile(t);
  const empty = await open();
  assert.ok(empty.body.includes(en.profileAbout));
  assert.ok(!empty.body.includes(CHIP));
  const saved = await save({ name: " Ada Example ", email: "Ada@example.org" });
  assert.deepEqual([saved.status, saved.location], [303, PROFILE]);
  assert.match(String(saved.cookies), /^latchkey-notice=changeIsSaved;/);
  assert.deepEqual(stored(), [["Ada Example", "Ada@example.org", null]]);
  assert.ok((await open()).body.includes(CHIP));
  assert.deepEqual(Object.values(await read()).slice(0, 2), ["Ada Example", "Ada@example.org"]);

  const { user_id: userId } = partsOf(session).claims;
  const told = (await gate.logEntries(2)).slice(-1);
  const [{ type, author, userId: about, address } = { type: "" }] = told;
  assert.deepEqual([type, author, about, address], ["user_profile", "system", userId, "127.0.0.1"]);

  // Nothing has changed, so nothing is logged.
  await save({});
  verify("Ada@example.org");
  assert.ok(!(await open()).body.includes(CHIP));
  await save({ name: "Ada" });
  assert.deepEqual(stored(), [["Ada", "Ada@example.org", "ada@example.org"]]);
  await save({ email: "other@example.org" });
  assert.deepEqual(stored(), [["Ada", "other@example.org", null]], "a new address is unverified");
  await save({ name: "", email: "" });
  assert.deepEqual(stored(), []);
  assert.ok(!(await open()).body.includes(CHIP));
  const entries = (await gate.logEntries(5)).filter((entry) => entry.type === "user_profile");
  assert.equal(entries.length, 4);
});

test("a new address needs a recent sign-in, and a new name does not", async (t) => {
  const { session, save, stored } = await atProfile(t);
  const old = inThePast(session);
  const refused = await save({ name: "Ada", email: "ada@example.org" }, old);
  const location = `/login?again=1&return_to=${encodeURIComponent(PROFILE)}`;
  assert.deepEqual([refused.status, refused.location], [303, location]);
  assert.deepEqual(stored(), []);
  assert.equal((await save({ name: "Ada" }, old)).location, PROFILE);
  await save({ email: "ada@example.org" });
  assert.equal((await save({ email: "" }, old)).location, location, "no address is a change too");
  assert.deepEqual(stored(), [["Ada", "ada@example.org", null]]);
});

test("shows what is wrong at the field, keeps what was entered, and changes nothing", async (t) => {
  const { save, stored } = await atProfile(t);
  await save({ name: "Ada", email: "ada@example.org" });
  for (const [fields, name, message] of [
    [{ name: "a\nb" }, "name", en.messages.nameInvalid],
    [{ name: "a\u202eb" }, "name", en.messages.nameInvalid],
    [{ name: "a\0b" }, "name", en.messages.nameInvalid],
    [{ name: "x".repeat(256) }, "name", en.messages.nameInvalid],
    [{ name: "ü".repeat(128) }, "name", en.messages.nameInvalid],
    [{ email: "ada" }, "email", en.messages.emailInvalid],
    [{ email: "a@b.test\r\nRemote-User: owner" }, "email", en.messages.emailInvalid],
    [{ email: `${"x".repeat(64)}@${"y".repeat(190)}.test` }, "email", en.messages.emailInvalid],
  ] as const) {
    const { status, body } = await save({ ...fields });
    assert.equal(status, 422);
    assert.deepEqual(alertsIn(body), [message]);
    assert.equal(fieldNamed(body, name)["aria-invalid"], "true");
    // The address that was entered is not the stored one, of which the chip speaks.
    assert.equal(body.includes(CHIP), name === "name");
    assert.deepEqual(stored(), [["Ada", "ada@example.org", null]]);
  }
  assert.equal((await save({ name: "x".repeat(10_000_000) })).status, 413);
  assert.deepEqual(stored(), [["Ada", "ada@example.org", null]]);
});

test("a form that was overtaken changes nothing, and shows the new values", async (t) => {
  const { read, save, post, stored } = await atProfile(t);
  const first = await read();
  await save({ name: "Ada", email: "ada@example.org" });
  for (const version of [first.version ?? "", "", "x"]) {
    const { status, body } = await post({ name: "Eve", email: "", version });
    assert.equal(status, 422);
    assert.deepEqual(alertsIn(body), [en.messages.changedMeanwhile]);
    assert.equal(fieldNamed(body, "name").value, "Ada");
    assert.equal(fieldNamed(body, "email").value, "ada@example.org");
  }
  assert.deepEqual(stored(), [["Ada", "ada@example.org", null]]);
  const current = await read();
  const both = await Promise.all(
    ["Bea", "Cleo"].map((name) => post({ ...current, name, version: current.version ?? "" })),
  );
  assert.deepEqual(both.map(({ status }) => status).sort(), [303, 422]);
});

test("the address that another account has verified can be entered, and stays unverified", async (t) => {
  const { gate, save, stored, verify } = await atProfile(t);
  await save({ email: "ada@example.org" });
  verify("ada@example.org");
  addUser(gate, "other", "zz");
  const other = mint({ user_id: "zz", iat: inSeconds(0), exp: inSeconds(60) });
  assert.equal((await save({ email: "ada@example.org" }, other)).location, PROFILE);
  assert.deepEqual(stored(), [
    [null, "ada@example.org", "ada@example.org"],
    [null, "ada@example.org", null],
  ]);
});

test("guests and strangers have no profile", async (t) => {
  const { gate, post, stored } = await atProfile(t);
  const link = await linkPath(gate, "guest", "plumber", "--groups", "photos");
  const { session: guest = "" } = await gate.send(link, { form: {} });
  const form = { name: "Plumber", email: "", version: "" };
  assert.equal((await post(form, guest)).status, 403);
  assert.equal((await post(form, "")).location, "/login");
  const foreign = await gate.send(PROFILE, {
    form,
    headers: { ...HOST, Origin: "https://evil.example" },
  });
  assert.equal(foreign.status, 403);
  assert.deepEqual(stored(), []);
});
