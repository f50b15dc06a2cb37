declare const brand: unique symbol;

/** Assigned by the store when the user is inserted, and carried in session tokens. */
export type UserId = string & { readonly [brand]: "UserId" };

/** IDs come from requests and from the app's own tables. */
export const idOf = (text: string): UserId => String(text) as UserId;

/** A one-way hash in the text form that its algorithm defines (PHC, or bcrypt's own). */
export type PasswordHash = string & { readonly [brand]: "PasswordHash" };

/** With `reset-codes-off`, a new password also turns off the one-time codes. */
export type LinkPurpose = "invite" | "guest" | "reset" | "reset-codes-off";
