import type { Locale } from "../pages/words.ts";

/** Describes one message to one person, as the outbox keeps it. */
export interface Mail {
  readonly to: string;
  readonly locale: Locale;
  readonly message: Message;
}

/**
 * Contains what a message says. Its text is only written when it is sent. Times are in ISO 8601,
 * since the outbox keeps messages as JSON. A token belongs to the one-time link of the message.
 */
export type Message =
  | { readonly kind: "test" }
  | NewPasswordMessage
  | { readonly kind: "confirm-email"; readonly username: string; readonly token: string }
  | InvitationMessage
  | NoticeMessage;

/** Contains the link for a new password, for whoever has forgotten the old one. */
export interface NewPasswordMessage extends Origin {
  readonly kind: "new-password";
  readonly username: string;
  readonly token: string;
}

export interface InvitationMessage {
  readonly kind: "invitation";
  readonly invitedBy?: string | undefined;
  readonly username?: string | undefined;
  /** Lists the names of the apps that the invitation opens. */
  readonly apps: readonly string[];
  readonly token: string;
  readonly expiresAt: string;
}

/** Tells a person that something has changed in how one can sign in to the account. */
export interface NoticeMessage extends Origin {
  readonly kind: "notice";
  readonly notice: Notice;
  readonly username: string;
  /** Somebody else made the change. The text is the author of the entry in the audit log. */
  readonly by?: string | undefined;
  /** The link ends all sessions of the account. */
  readonly token: string;
}

/** Says when and from where something was asked for. */
interface Origin {
  readonly at: string;
  readonly address?: string | undefined;
  readonly device?: string | undefined;
}

/** Lists what people are told about, in the order of the page that lists it. */
export const notices = [
  "signInNew",
  "passwordChanged",
  "passwordLinkMade",
  "passkeyAdded",
  "passkeyRemoved",
  "codesOn",
  "codesOff",
  "recoveryCodesNew",
  "recoveryCodeUsed",
  "codesLocked",
  "keyAdded",
  "emailChanged",
  "usernameChanged",
] as const;

export type Notice = (typeof notices)[number];
