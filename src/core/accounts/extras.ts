import { setTimeout as sleep } from "node:timers/promises";
import { Unavailable } from "../base/fault.ts";
import type { Extra, Store, StoredUser } from "../store.ts";
import type { ExtraStore } from "./account-store.ts";

/** More changes of one account than get through meanwhile are refused until later. */
const MAX_WAIT_MS = 5_000;
const MAX_PAUSE_MS = 500;

/** Whether the store keeps extras, which stores of other authors need not. */
export const keepsExtras = <S>(store: S & Partial<ExtraStore>): store is S & ExtraStore =>
  store.replaceExtra !== undefined && store.hasExtra !== undefined;

export type ExtraChangePorts = Pick<Store, "findUser"> & Pick<ExtraStore, "replaceExtra">;

/** What a change makes of an extra: its next text (`undefined` removes it), or nothing. */
export type ExtraChange<Outcome> =
  | { readonly kind: "replace"; readonly by: string | undefined; readonly outcome: Outcome }
  | { readonly kind: "keep"; readonly outcome: Outcome };

/**
 * Changes an extra in one atomic step. If another request changes it first, `change` is called
 * again with the user as it is then, so it must not have effects of its own.
 *
 * @param user As just read from the store.
 * @throws {Unavailable} if other requests keep changing the extra.
 */
export async function changeExtra<Outcome>(
  store: ExtraChangePorts,
  user: StoredUser,
  extra: Extra,
  change: (user: StoredUser) => ExtraChange<Outcome>,
): Promise<Outcome | "no-user"> {
  let current: StoredUser | undefined = user;
  for (
    let [waited, limit] = [0, 1];
    waited < MAX_WAIT_MS;
    limit = Math.min(limit * 2, MAX_PAUSE_MS)
  ) {
    const next = change(current);
    if (next.kind === "keep") return next.outcome;
    if (await store.replaceExtra(current.id, extra, current[extra], next.by)) return next.outcome;
    // Randomised, so that of many requests one gets through at a time.
    const pause = limit * Math.random();
    await sleep(pause);
    waited += pause;
    current = await store.findUser(user.id);
    if (current === undefined) return "no-user";
  }
  throw new Unavailable("account_busy", "the account is changed by too many requests at once", 1);
}
