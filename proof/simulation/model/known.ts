import type { LinkPurpose, UserId } from "../../../src/db/records.ts";
import type { PasskeyResponse } from "../../../src/features/passkeys/sign-in-with-passkey.ts";
import type { Authenticator } from "../../../test/support/authenticator.ts";
import type { Enrolment } from "./enrolment.ts";
import type { Fact } from "./fact.ts";
import type { Member } from "./member.ts";

/** A device that needs no code. */
export interface KnownDevice {
  /** The text of its cookie. */
  readonly text: string;
  /** How the account signed in there; another password or other codes forget the device. */
  readonly password: string;
  /** `undefined` if it is not certain. */
  readonly enrolment: Enrolment | undefined;
  /** Whether a client knows that it was forgotten. */
  isForgotten: boolean;
}

/** A passkey on a device of the account's owner. */
export interface KnownPasskey {
  readonly authenticator: Authenticator;
  readonly userId: UserId;
  readonly state: Fact<"absent" | "added">;
  /** Its answers so far. Each is accepted once. */
  readonly answers: { readonly answer: PasskeyResponse; isUsed: boolean }[];
}

/** A one-time link, as far as the answers to its uses tell. */
export interface KnownLink {
  /** The usernames of its accounts begin with it. */
  readonly label: string;
  readonly id: string;
  readonly token: string;
  readonly purpose: LinkPurpose;
  /** Whose password it sets. */
  readonly member: Member | undefined;
  /** Of the accounts that it makes, separated by commas. */
  readonly groups: string;
  /** When those end; infinite for most. */
  readonly endsAt: number;
  /** By the system clock of a gate, in milliseconds since 1970. */
  readonly expiresAt: number;
  readonly uses: number;
  accepted: number;
  /** Uses that were not answered, or not yet. */
  doubts: number;
  revocation: "none" | "perhaps" | "accepted";
  /** Of the password when it was made; `undefined` if that was about to change. */
  readonly passwordVersion: number | undefined;
  /** Whether something other than this link has set the password since. */
  isReplaced: boolean;
}

/** A key with which a program opens apps as a member. */
export interface KnownKey {
  readonly label: string;
  readonly id: string;
  readonly text: string;
  readonly member: Member;
  readonly state: Fact<"added" | "revoked">;
}
