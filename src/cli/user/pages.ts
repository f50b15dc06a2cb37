import type { StoredUser, UserReader } from "../../core/store.ts";

const READ_AT_ONCE = 1_000;

/** All users, so many at a time, in the order of their IDs. */
export async function* userPages(store: UserReader): AsyncIterable<readonly StoredUser[]> {
  for (let afterId = ""; ; ) {
    const users = await store.readUsers({ afterId, limit: READ_AT_ONCE });
    yield users;
    const last = users.at(-1);
    if (last === undefined || users.length < READ_AT_ONCE) return;
    afterId = last.id;
  }
}
