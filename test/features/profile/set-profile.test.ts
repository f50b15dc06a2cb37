import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { Auth } from "../../../src/auth.ts";
import { type ProfileFields, setProfile } from "../../../src/features/profile/set-profile.ts";
import { isUsableEmail } from "../../../src/lib/email.ts";
import { openAuth } from "../../support/auth.ts";
import { eventually } from "../../support/eventually.ts";
import { createMailingServices } from "../../support/mailing.ts";
import { authWith } from "../../support/options.ts";

/** Reads what apps learn about a person, as the fields of `setProfile` have it. */
async function readProfile({ users }: Pick<Auth, "users">, id: string): Promise<ProfileFields> {
  const { name, email, emailVerified } = (await users.find(id)) ?? {};
  return { name, email, emailIs: emailVerified === true ? "verified" : "unverified" };
}

test("accepts addresses that programs understand without quoting, and no others", () => {
  for (const email of ["a@b.test", "Ada.Example+apps@mail.example.org", `${"x".repeat(64)}@b.test`])
    assert.ok(isUsableEmail(email), email);
  for (const email of [
    ...["", "a", "@b.test", "a@", "a@b", "a@@b.test", "a@b.test@c.test", "a b@c.test", " a@b.test"],
    ...['"a b"@c.test', "a,b@c.test", "<a@b.test>", "a@b.test\r\nBcc: c@d.test", "a@b.test\0"],
    ...["jürgen@b.test", "a@bücher.test", "a@[::1]", "a@b.test/", `${"x".repeat(65)}@b.test`],
    `a@${"b".repeat(250)}.test`,
  ]) {
    assert.ok(!isUsableEmail(email), email);
  }
});

test("sets, keeps and removes what is given, with an audit log entry for each change", async (t) => {
  const { auth } = await openAuth(t);
  const added = await auth.users.add({ username: "ada", password: "a long password" });
  assert.ok(added.kind === "added");
  const { id } = added.user;
  const { setProfile } = auth.users;
  const profile = (id: string) => readProfile(auth, id);
  assert.deepEqual(await profile(id), { name: undefined, email: undefined, emailIs: "unverified" });
  assert.equal(await setProfile(id, { name: " Ada Example ", email: "Ada@b.test" }), "set");
  const first = { name: "Ada Example", email: "Ada@b.test", emailIs: "unverified" };
  assert.deepEqual(await profile(id), first);
  assert.equal(await setProfile(id, { emailIs: "verified" }), "set");
  assert.deepEqual(await profile(id), { ...first, emailIs: "verified" });
  assert.equal(await setProfile(id, { name: "Ada" }), "set");
  assert.deepEqual(await profile(id), { ...first, name: "Ada", emailIs: "verified" });
  assert.equal(await setProfile(id, { email: "other@b.test" }), "set");
  assert.equal((await profile(id)).emailIs, "unverified", "a changed address");
  assert.equal(await setProfile(id, { name: "", email: "" }), "set");
  assert.deepEqual(await profile(id), { name: undefined, email: undefined, emailIs: "unverified" });
});

test("keeps the language, and tells the former address", async (t) => {
  const ports = await createMailingServices(t, "ada");
  const id = await ports.idOf("ada");
  await ports.verify("ada", "old@example.org", "fr");
  assert.equal(await setProfile(ports, id, { name: "Ada" }), "set");
  assert.equal(await setProfile(ports, id, { email: "OLD@example.org" }), "set");
  assert.deepEqual(await ports.takeMails(), [], "the same address");
  await ports.verify("ada", "old@example.org", "fr");
  assert.equal(
    await setProfile(ports, id, { email: "new@example.org", emailIs: "verified" }),
    "set",
  );
  const [mail, ...others] = await ports.takeMails();
  assert.deepEqual([mail?.to, mail?.locale, others], ["old@example.org", "fr", []]);
  assert.equal((await ports.store.profiles.find(id))?.locale, "fr");
});

test("refuses what is not acceptable, and changes nothing", async (t) => {
  const { auth } = await openAuth(t);
  const people = await Promise.all(
    ["ada", "ben"].map((username) => auth.users.add({ username, password: "a long password" })),
  );
  const [ada = "", ben = ""] = people.map((one) => (one.kind === "added" ? one.user.id : ""));
  const { setProfile } = auth.users;
  const profile = (id: string) => readProfile(auth, id);
  const verified = { email: "ada@b.test", emailIs: "verified" } as const;
  assert.equal(await setProfile(ada, verified), "set");
  for (const [outcome, fields] of [
    ["name-invalid", { name: "a\nb" }],
    ["name-invalid", { name: "x".repeat(256) }],
    ["email-invalid", { email: "a" }],
    ["email-missing", { emailIs: "verified" }],
    ["email-taken", { email: "ADA@B.test", emailIs: "verified" }],
  ] as const) {
    assert.equal(await setProfile(ben, fields), outcome);
  }
  assert.equal((await profile(ben)).email, undefined);
  assert.equal(await setProfile(ben, { email: "ada@b.test" }), "set", "not verified");
  assert.equal(await setProfile("nobody", { name: "a" }), "no-user");
  for (const wrong of [
    undefined,
    null,
    { name: 1 },
    { email: [] },
    { emailIs: true },
    { other: 1 },
  ])
    await assert.rejects(setProfile(ada, wrong as never), { code: "invalid_option" });
});

test("guards return name and address, at once here and within a second elsewhere", async (t) => {
  const { auth, store } = await openAuth(t);
  const elsewhere = authWith({ store });
  t.after(() => elsewhere.close());
  const added = await auth.users.add({ username: "ada", password: "a long password" });
  assert.ok(added.kind === "added");
  const { user } = added;
  const session = await auth.sessions.create(user.id);
  const request = new Request("http://app.test/", { headers: { cookie: session?.cookie ?? "" } });
  assert.deepEqual(await auth.currentUser(request), user);
  assert.deepEqual(await elsewhere.currentUser(request), user);
  await auth.users.setProfile(user.id, { name: "Ada Example", email: "ada@b.test" });
  const profile = { name: "Ada Example", email: "ada@b.test", emailVerified: false };
  assert.deepEqual(await auth.currentUser(request), { ...user, ...profile });
  await auth.users.setProfile(user.id, { emailIs: "verified" });
  const verified = { ...user, ...profile, emailVerified: true };
  const seen = await auth.currentUser(request);
  assert.deepEqual(seen, verified);
  assert.ok(Object.isFrozen(seen));
  await eventually(
    async () => isDeepStrictEqual(await elsewhere.currentUser(request), verified) || undefined,
  );
  assert.deepEqual(await auth.users.find(user.id), verified);
  assert.deepEqual(await auth.users.findByUsername("ada"), verified);
  for await (const account of auth.users.list()) assert.deepEqual(account, verified);
  await auth.users.setProfile(user.id, { name: "", email: "" });
  assert.deepEqual(await auth.currentUser(request), user);
});

test("two changes at once lose neither, and a verified address goes to one account", async (t) => {
  const { auth } = await openAuth(t);
  const people = await Promise.all(
    ["ada", "ben"].map((username) => auth.users.add({ username, password: "a long password" })),
  );
  const [ada = "", ben = ""] = people.map((one) => (one.kind === "added" ? one.user.id : ""));
  const { setProfile } = auth.users;
  const profile = (id: string) => readProfile(auth, id);
  const outcomes = await Promise.all([
    setProfile(ada, { name: "Ada" }),
    setProfile(ada, { email: "ada@b.test" }),
  ]);
  assert.deepEqual(outcomes, ["set", "set"]);
  const both = { name: "Ada", email: "ada@b.test", emailIs: "unverified" };
  assert.deepEqual(await profile(ada), both);
  const verified = { email: "One@b.test", emailIs: "verified" } as const;
  const raced = await Promise.all([ada, ben].map((id) => setProfile(id, verified)));
  assert.deepEqual(raced.toSorted(), ["email-taken", "set"]);
  // Another spelling of the own address is the same address.
  const winner = raced[0] === "set" ? ada : ben;
  assert.equal(await setProfile(winner, { email: "one@B.test" }), "set");
  assert.equal((await profile(winner)).emailIs, "verified");
});
