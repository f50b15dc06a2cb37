declare const brand: unique symbol;

/** The store assigns the ID when the user is inserted, and session tokens contain it. */
export type UserId = string & { readonly [brand]: "UserId" };

/** Converts a text to a user ID. IDs come from requests and from the app's own tables. */
export const toUserId = (text: string): UserId => String(text) as UserId;

/** Contains a one-way hash in the text form that its algorithm defines (PHC, or bcrypt's own). */
export type PasswordHash = string & { readonly [brand]: "PasswordHash" };

/**
 * With `reset-codes-off`, a new password also turns off the one-time codes. The last two are only
 * sent by mail: one confirms that the person receives mail at an address, the other ends all
 * sessions of the person.
 */
export type LinkPurpose =
  | "invite"
  | "guest"
  | "reset"
  | "reset-codes-off"
  | "confirm-email"
  | "end-sessions";

/**
 * Says what the outbox does with a row: it sends a `mail` or calls the `webhook` of the operator, or
 * it finds the account for which somebody has asked for a `new-password`, and sends the link.
 */
export const deliveryKinds = ["mail", "webhook", "new-password"] as const;
export type DeliveryKind = (typeof deliveryKinds)[number];

/** A `confidential` client authenticates with a secret. A `public` client cannot keep one. */
export type ClientType = "confidential" | "public";

/** Tokens for apps are signed with one of these algorithms. */
export type SigningAlgorithm = "RS256" | "ES256";

/** Assertions of forward auth are signed with the last one. */
export type KeyAlgorithm = SigningAlgorithm | "EdDSA";

/** Says on which pages an app shows an icon: an app can have one for each. */
export type IconScheme = "light" | "dark";

export const toIconId = (appId: string, scheme: IconScheme): string => `${appId}/${scheme}`;
