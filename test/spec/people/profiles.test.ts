import assert from "node:assert/strict";
import { test } from "node:test";
import { getWords } from "../../../src/pages/words.ts";
import { execute, valuesOf } from "../../support/database.ts";
import { alertsIn, elements, fieldNamed } from "../../support/markup.ts";
import { inThePast } from "../../support/mint.ts";
import { type AtPeople, addMember, atPeople, PEOPLE, personPath } from "./at-people.ts";

const en = getWords("en");
const USER = "id of member";
const PAGE = personPath(USER);
const EMAIL = "member@example.org";

const storedIn = ({ gate }: AtPeople) =>
  valuesOf(gate.databaseFile, "SELECT id, name, email, verified_email FROM latchkey_profiles");

/** Sends the form of the page of an account, as it is now but with these fields. */
async function save(people: AtPeople, fields: Readonly<Record<string, string>>, user = USER) {
  const { body } = await people.open(personPath(user));
  const [, form = ""] = body.split(`action="${PEOPLE}/profile"`);
  const shown = ["name", "email", "version"].map((name) => fieldNamed(form, name));
  const entered = Object.fromEntries(shown.map(({ name, value = "" }) => [String(name), value]));
  const isChecked = "checked" in fieldNamed(form, "email_verified");
  const checkbox = isChecked ? { email_verified: "1" } : {};
  return people.act("profile", { user, ...entered, ...checkbox, ...fields });
}

const isConfirmed = async ({ open }: AtPeople): Promise<boolean> =>
  "checked" in fieldNamed((await open(PAGE)).body, "email_verified");

test("an administrator changes name and address, and confirms the address", async (t) => {
  const people = await atPeople(t);
  addMember(people.gate, "member");
  const saved = await save(people, { name: "Ada", email: EMAIL });
  assert.deepEqual([saved.status, saved.location], [303, PAGE]);
  assert.match(String(saved.cookies), /^latchkey-notice=changeIsSaved;/);
  assert.deepEqual(storedIn(people), [[USER, "Ada", EMAIL, null]]);
  assert.equal(await isConfirmed(people), false);
  await save(people, { email_verified: "1" });
  assert.deepEqual(storedIn(people), [[USER, "Ada", EMAIL, EMAIL]]);
  assert.equal(await isConfirmed(people), true);
  await save(people, { name: "Ada Example" });
  assert.deepEqual(storedIn(people), [[USER, "Ada Example", EMAIL, EMAIL]], "stays confirmed");
  await save(people, { email_verified: "" });
  assert.deepEqual(storedIn(people), [[USER, "Ada Example", EMAIL, null]]);
  await save(people, { email: "", email_verified: "1" });
  assert.deepEqual(storedIn(people), [[USER, "Ada Example", null, null]]);
  const { body } = await people.open(PEOPLE);
  assert.ok(body.includes("<bdi>Ada Example</bdi>"), "the list shows the name");
  const entries = (await people.gate.logEntries(6)).slice(1);
  for (const { type, author, userId } of entries)
    assert.deepEqual([type, author, userId], ["user_profile", "admin owner", USER]);
});

test("shows what is wrong at the field, and changes nothing", async (t) => {
  const people = await atPeople(t);
  addMember(people.gate, "member");
  addMember(people.gate, "other");
  await save(people, { email: EMAIL, email_verified: "1" }, "id of other");
  const before = storedIn(people);
  for (const [fields, field, message] of [
    [{ name: "a\tb" }, "name", en.messages.nameInvalid],
    [{ email: "a@b" }, "email", en.messages.emailInvalid],
    [{ email: EMAIL.toUpperCase(), email_verified: "1" }, "email", en.messages.emailTaken],
  ] as const) {
    const { status, body } = await save(people, fields);
    assert.equal(status, 422);
    assert.deepEqual(alertsIn(body), [message]);
    const wrong = elements(body, "input").filter((input) => "aria-invalid" in input);
    assert.deepEqual(
      wrong.map(({ name }) => name),
      [field],
    );
    assert.deepEqual(storedIn(people), before);
  }
  assert.equal((await save(people, { email: EMAIL })).status, 303, "unverified");
});

test("of two changes of a profile at once, one is refused", async (t) => {
  const people = await atPeople(t);
  addMember(people.gate, "member");
  const { body } = await people.open(PAGE);
  const [, form = ""] = body.split(`action="${PEOPLE}/profile"`);
  const version = String(fieldNamed(form, "version").value);
  const answers = await Promise.all(
    ["Ada", "Bea"].map((name) =>
      people.act("profile", { user: USER, name, email: EMAIL, version, email_verified: "1" }),
    ),
  );
  const refused = answers.find(({ status }) => status === 422);
  assert.ok(refused && answers.some(({ status }) => status === 303));
  assert.deepEqual(alertsIn(refused.body), [en.messages.changedMeanwhile]);
  const [, name] = storedIn(people)[0] ?? [];
  const [, shown = ""] = refused.body.split(`action="${PEOPLE}/profile"`);
  assert.equal(fieldNamed(shown, "name").value, name, "it shows the new values");
  // Groups and names are changed by different forms, and neither overtakes the other.
  const grouped = await people.act("change", {
    ...{ user: USER, username: "member", groups: "family" },
    version: String(fieldNamed(body.split(`action="${PEOPLE}/profile"`)[0] ?? "", "version").value),
  });
  assert.equal(grouped.status, 303);
});

test("guests have no profile, and only administrators of now change one", async (t) => {
  const people = await atPeople(t);
  const { gate, act, session } = people;
  const member = addMember(gate, "member");
  const fields = { user: USER, name: "Eve", email: EMAIL, version: "" };
  assert.equal((await act("profile", fields, { session: member })).status, 404);
  const old = await act("profile", fields, { session: inThePast(session) });
  assert.match(String(old.location), /^\/login\?again=1/);
  const toGuest = "UPDATE latchkey_users SET password_hash = '$guest$', ends_at = 4e12";
  execute(gate.databaseFile, `${toGuest} WHERE username = 'member'`);
  assert.ok(!(await people.open(PAGE)).body.includes(`${PEOPLE}/profile"`));
  assert.equal((await act("profile", fields)).location, PAGE);
  assert.equal((await act("profile", { ...fields, user: "nobody" })).location, PEOPLE);
  assert.deepEqual(storedIn(people), []);
});
