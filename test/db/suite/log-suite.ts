import assert from "node:assert/strict";
import type { LogQuery } from "../../../src/db/queries/log.ts";
import type { NewLogEntry, UserId } from "../../../src/db/records.ts";
import type { Store } from "../../../src/db/store.ts";
import type { Rule } from "./database.ts";
import { logEntry, TEXT } from "./samples.ts";

/** The audit log. */
export function testLog(rule: Rule<Store>): void {
  /** The summaries of the entries that match. */
  const read = async (store: Store, query: Partial<LogQuery> = {}): Promise<readonly string[]> => {
    const entries = await store.log.read({ afterId: 0, limit: 1_000, ...query });
    return entries.map(({ summary }) => summary);
  };
  const named = (from: number, to: number): readonly string[] =>
    Array.from({ length: to - from }, (_, i) => `entry ${from + i}`);
  /** Entry `i` has the time of second `i`; every third entry has another type. */
  const insertMixed = (store: Store): Promise<void> =>
    store.log.insert(
      named(0, 9).map((name, i) =>
        logEntry(name, { at: new Date(i * 1_000), type: i % 3 === 0 ? "signup" : "signin" }),
      ),
    );

  rule("returns an entry as it was written, with an ID", async (store) => {
    const written: NewLogEntry = {
      ...{ at: new Date("2030-01-02T03:04:05.678Z"), type: "signup", author: "system" },
      ...{ summary: `Created account  ${TEXT} \n🔑`, userId: "some ID" as UserId },
      ...{ subject: TEXT, address: "2001:db8::1", device: "Firefox on Linux" },
    };
    await store.log.insert([written]);
    const [entry] = await store.log.read({ afterId: 0, limit: 10 });
    assert.ok(entry && Number.isSafeInteger(entry.id) && entry.id > 0);
    assert.deepEqual(entry, { ...written, id: entry.id });
  });

  rule("keeps the insertion order, whatever the times, with increasing IDs", async (store) => {
    const times = [5_000, 1_000, 3_000, 3_000, 0];
    await store.log.insert(times.map((time, i) => logEntry(`entry ${i}`, { at: new Date(time) })));
    await store.log.insert([logEntry("entry 5"), logEntry("entry 6")]);
    assert.deepEqual(await read(store), named(0, 7));
    const ids = (await store.log.read({ afterId: 0, limit: 10 })).map(({ id }) => id);
    assert.ok(ids.every((id, i) => id > (ids[i - 1] ?? 0)));
  });

  rule("inserts a whole batch or nothing, and the next batch works", async (store) => {
    const unusable = logEntry("unusable", { at: new Date(Number.NaN) });
    await assert.rejects(store.log.insert([logEntry("good"), unusable, logEntry("good")]));
    assert.deepEqual(await read(store), []);
    await store.log.insert([logEntry("afterwards")]);
    assert.deepEqual(await read(store), ["afterwards"]);
  });

  rule("inserts batches of any size, and reads them in pages", async (store) => {
    await store.log.insert([]);
    assert.deepEqual(await read(store), []);
    await store.log.insert(named(0, 500).map((name) => logEntry(name)));
    const found: string[] = [];
    for (let afterId = 0, pages = 0; pages < 4; pages += 1) {
      const page = await store.log.read({ afterId, limit: 200 });
      assert.ok(page.length <= 200);
      found.push(...page.map(({ summary }) => summary));
      afterId = page.at(-1)?.id ?? afterId;
    }
    assert.deepEqual(found, named(0, 500));
  });

  rule("filters entries by type, by time and by both", async (store) => {
    await insertMixed(store);
    assert.deepEqual(await read(store, { type: "signup" }), ["entry 0", "entry 3", "entry 6"]);
    assert.deepEqual(await read(store, { type: "no such type" }), []);
    assert.deepEqual(await read(store, { since: new Date(7_000) }), ["entry 7", "entry 8"]);
    assert.deepEqual(await read(store, { since: new Date(7_001) }), ["entry 8"]);
    const both = { type: "signup", since: new Date(3_000) };
    assert.deepEqual(await read(store, both), ["entry 3", "entry 6"]);
    assert.deepEqual(await read(store, { ...both, limit: 1 }), ["entry 3"]);
    assert.deepEqual(await read(store, { type: undefined, since: undefined }), named(0, 9));
    const newest = await store.log.newest({ ...both, limit: 9 });
    assert.deepEqual(
      newest.map(({ summary }) => summary),
      ["entry 6", "entry 3"],
    );
  });

  rule("reads the newest entries of one user, of a type and before one", async (store) => {
    const [owner, guest] = ["owner" as UserId, "guest" as UserId];
    assert.deepEqual(await store.log.newest({ userId: owner, limit: 5 }), []);
    const users = [undefined, owner, guest, owner, guest, undefined, owner];
    const entries = users.map((userId, i) => logEntry(`entry ${i}`, userId && { userId }));
    await store.log.insert(entries);
    const [entry] = await store.log.newest({ userId: owner, limit: 1 });
    assert.deepEqual(entry, { ...entries[6], id: entry?.id });
    const before = { userId: owner, beforeId: entry?.id, limit: 1 };
    for (const [query, found] of [
      [{ userId: owner, limit: 100 }, "631"],
      [{ userId: owner, limit: 2 }, "63"],
      [{ userId: guest, limit: 100 }, "42"],
      [{ userId: "Owner" as UserId, limit: 100 }, ""],
      [{ ...before, type: "signin" }, "3"],
      [{ ...before, type: "signup" }, ""],
      [{ beforeId: entry?.id, limit: 9 }, "543210"],
    ] as const) {
      const newest = await store.log.newest(query);
      assert.equal(newest.map(({ summary }) => summary.slice(-1)).join(""), found);
    }
  });

  rule("reads the newest entries of several types", async (store) => {
    const owner = "owner" as UserId;
    const types = ["signin", "signup", "signin", "app_add", "signup", "signin"];
    await store.log.insert(
      types.map((type, i) =>
        logEntry(`entry ${i}`, { type, ...(i % 2 === 1 && { userId: owner }), at: new Date(i) }),
      ),
    );
    const all = await store.log.newest({ limit: 9 });
    for (const [query, found] of [
      [{ types: ["signin", "signup"], limit: 9 }, "54210"],
      [{ types: ["signin", "signup"], limit: 2 }, "54"],
      [{ types: ["signin", "no such type"], beforeId: all[0]?.id, limit: 9 }, "20"],
      [{ types: ["signin", "app_add"], userId: owner, limit: 9 }, "53"],
      [{ types: ["signup"], since: new Date(2), limit: 9 }, "4"],
      [{ types: [], limit: 9 }, ""],
    ] as const) {
      const newest = await store.log.newest(query);
      assert.equal(newest.map(({ summary }) => summary.slice(-1)).join(""), found);
    }
  });

  rule("reads the newest entries of some types with one subject", async (store) => {
    const owner = "owner" as UserId;
    const subjects = ["photos", "Photos", "wiki", undefined, "photos", "photos"];
    await store.log.insert(
      subjects.map((subject, i) =>
        logEntry(`entry ${i}`, {
          ...{ type: i === 4 ? "app_add" : "app_signin", ...(i > 3 && { userId: owner }) },
          ...(subject !== undefined && { subject }),
        }),
      ),
    );
    const all = await store.log.newest({ limit: 9 });
    const both = { types: ["app_signin", "app_add"], subject: "photos" };
    for (const [query, found] of [
      [{ ...both, limit: 9 }, "540"],
      [{ ...both, limit: 2 }, "54"],
      [{ ...both, beforeId: all[0]?.id, limit: 9 }, "40"],
      [{ ...both, userId: owner, limit: 9 }, "54"],
      [{ ...both, types: ["app_signin"], limit: 9 }, "50"],
      [{ ...both, types: [], limit: 9 }, ""],
      [{ ...both, subject: "photo", limit: 9 }, ""],
    ] as const) {
      const newest = await store.log.newest(query);
      assert.equal(newest.map(({ summary }) => summary.slice(-1)).join(""), found);
    }
  });

  rule("finds an earlier entry like one, among the newest of its user and type", async (store) => {
    const sought = (facts: Partial<NewLogEntry>) => ({
      ...{ type: "signin", userId: "owner" as UserId, at: new Date(5_000) },
      ...facts,
    });
    const has = (facts: Partial<NewLogEntry> = {}) => store.log.hasEarlier(sought(facts));
    const [address, device] = ["192.0.2.1", "Firefox on Linux"];
    assert.equal(await has(), false);
    await store.log.insert([
      logEntry("without facts", sought({ at: new Date(4_999) })),
      logEntry("without a device", sought({ at: new Date(1_000), address })),
      logEntry("with both", sought({ at: new Date(2_000), address, device })),
    ]);
    assert.equal(await has(), true);
    assert.equal(await has({ at: new Date(4_999) }), false, "only an earlier one");
    assert.equal(await has({ address }), true);
    assert.equal(await has({ address: "192.0.2.2" }), false);
    assert.equal(await has({ device }), false);
    assert.equal(await has({ address, device }), true);
    assert.equal(await has({ address, device: "Firefox on linux" }), false);
    assert.equal(await has({ address, device, type: "signup" }), false);
    assert.equal(await has({ address, device, userId: "guest" as UserId }), false);
    const newer = Array.from({ length: 999 }, (_, i) =>
      logEntry(`newer ${i}`, sought({ address: "192.0.2.3" })),
    );
    await store.log.insert([...newer, logEntry("of another type", sought({ type: "signup" }))]);
    assert.equal(await has({ address, device }), true, "the oldest of 1,000");
    await store.log.insert([logEntry("newest", sought({ address: "192.0.2.3" }))]);
    assert.equal(await has({ address, device }), false, "no longer one of 1,000");
  });

  rule("removes old entries, and the oldest of a type, a few at a time", async (store) => {
    await insertMixed(store);
    assert.equal(await store.log.prune(new Date(2_000), 1), 1);
    assert.equal(await store.log.prune(new Date(2_000), 10), 1);
    assert.deepEqual(await read(store), named(2, 9));
    assert.equal(await store.log.pruneType("signin", 2, 1), 1);
    assert.equal(await store.log.pruneType("signin", 2, 10), 2);
    assert.equal(await store.log.pruneType("signin", 2, 10), 0);
    assert.deepEqual(await read(store), ["entry 3", "entry 6", "entry 7", "entry 8"]);
  });
}
