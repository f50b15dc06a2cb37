import type { UserId } from "../records.ts";
import type { PasskeyStore } from "../store.ts";

export const MAX_PASSKEY_NAME = 60;

/** A name as it is stored: without space around it, never empty, and cut if it is too long. */
export const passkeyName = (entered: string): string =>
  [...entered.trim()].slice(0, MAX_PASSKEY_NAME).join("") || "Passkey";

/** Gives a passkey of the user's own another name. Only for a recent sign-in. */
export async function renamePasskey(
  { store }: { readonly store: { readonly passkeys: Pick<PasskeyStore, "rename"> } },
  userId: UserId,
  passkey: string,
  name: string,
): Promise<"no-passkey" | "renamed"> {
  const isRenamed = await store.passkeys.rename(userId, passkey, passkeyName(name));
  return isRenamed ? "renamed" : "no-passkey";
}
