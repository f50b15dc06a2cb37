import assert from "node:assert/strict";
import type { Codes, Passkey, Session } from "../core/records.ts";
import type { Rule, With } from "./database.ts";
import { add, logEntry } from "./samples.ts";

const NOW = new Date(1_000_000);
const LATER = new Date(2_000_000);
const CODES: Codes = { secret: "secret", lastStep: 0, recovery: [], wrong: 0 };
const unused = { sessions: 0, codes: false, passkeys: false };

/** What administrators see of accounts. */
export function testPeople(rule: Rule<With<"people">>): void {
  rule("lists people by username, in pages, and by a part of it", async (store) => {
    for (const name of ["bob", "Ada", "eve%_", "carol", "Ä'\"", "dan"]) await add(store, name);
    const list = async (search: string, skip: number, limit: number) =>
      (await store.people.list({ search, skip, limit, now: NOW })).map(({ user }) => user.username);
    assert.deepEqual(await list("", 0, 9), ["Ada", "bob", "carol", "dan", "eve%_", "Ä'\""]);
    assert.deepEqual(await list("", 2, 2), ["carol", "dan"]);
    assert.deepEqual(await list("", 6, 2), []);
    assert.deepEqual(await list("A", 0, 9), ["Ada", "carol", "dan"], "in either case");
    assert.deepEqual(await list("a", 1, 1), ["carol"]);
    for (const [part, found] of [
      ["%_", ["eve%_"]],
      ["Ä", ["Ä'\""]],
      ["'\"", ["Ä'\""]],
      ["_%", []],
      ["adaa", []],
    ] as const) {
      assert.deepEqual(await list(part, 0, 9), found, part);
    }
  });

  rule("tells the facts of each of them, without the hash", async (store) => {
    const { sessions, passkeys, codes } = store;
    assert.ok(sessions && passkeys && codes);
    const [ada, bob, eve] = [
      await add(store, "ada"),
      await add(store, "bob"),
      await add(store, "eve"),
    ];
    await store.users.setGroups(ada.id, ["family"]);
    const begun = { userId: ada.id, createdAt: NOW, usedAt: NOW, address: "", device: "" };
    const session: Session = { ...begun, id: "1", expiresAt: LATER };
    for (const id of ["1", "2", "3"]) await sessions.insert({ ...session, id });
    await sessions.insert({ ...session, id: "4", expiresAt: NOW });
    await sessions.end({ ...session, id: "3" }, NOW);
    const passkey: Passkey = {
      id: "1",
      userId: ada.id,
      name: "",
      key: "",
      counter: 0,
      addedAt: NOW,
    };
    await passkeys.insert(passkey, 9);
    await codes.begin(ada.id, "mark");
    await codes.turnOn(ada.id, "mark", CODES);
    await codes.begin(bob.id, "mark");
    const entry = (type: string, at: Date) => logEntry("", { type, at, userId: ada.id });
    const types = [entry("signin", NOW), entry("signin", LATER), entry("codes_on", NOW)];
    await store.log.insert([...types, logEntry("", { userId: eve.id })]);
    const people = await store.people.list({ search: "", skip: 0, limit: 9, now: NOW });
    const user = { id: ada.id, username: "ada", groups: ["family"] };
    assert.deepEqual(people, [
      { user, signedInAt: LATER, sessions: 2, codes: true, passkeys: true },
      { ...unused, user: { id: bob.id, username: "bob" } },
      { ...unused, user: { id: eve.id, username: "eve" }, signedInAt: new Date(1_000) },
    ]);
  });
}
