import { Unavailable } from "../fault.ts";
import type { Extra, Store, StoredUser, UserId } from "../store.ts";
import type { ExtraStore } from "./account-store.ts";

/** What a rule makes of an extra: its outcome and, if it changes the extra, the new text. */
export interface ExtraChange<Outcome> {
  readonly outcome: Outcome;
  /** `undefined` removes the extra. */
  readonly to?: { readonly text: string | undefined };
}

export type ExtraPorts = Pick<Store, "findUser"> & Pick<ExtraStore, "replaceExtra">;

const TRIES = 10;

/**
 * Changes an extra in one atomic step: decides again whenever another process was faster. Returns
 * `no-user` if the user does not exist.
 */
export async function changeExtra<Outcome>(
  store: ExtraPorts,
  id: UserId,
  extra: Extra,
  change: (user: StoredUser) => ExtraChange<Outcome>,
): Promise<Outcome | "no-user"> {
  for (let left = TRIES; left > 0; left -= 1) {
    const user = await store.findUser(id);
    if (user === undefined) return "no-user";
    const { outcome, to } = change(user);
    if (to === undefined || to.text === user[extra]) return outcome;
    if (await store.replaceExtra(id, extra, user[extra], to.text)) return outcome;
  }
  throw new Unavailable("account_busy", "the account is being changed by other requests", 1);
}
