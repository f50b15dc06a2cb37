import type { PasskeyAnswer } from "../../../src/core/passkeys/sign-in-with-passkey.ts";
import type { UserId } from "../../../src/core/records.ts";
import type { Authenticator } from "../../../test/support/authenticator.ts";
import type { Fact } from "./fact.ts";
import type { Member } from "./member.ts";

/** A key in an authenticator app, with the recovery codes of its account. */
export interface Enrolment {
  readonly key: Uint8Array;
  readonly recoveryCodes: readonly string[];
  /** The codes that were accepted: steps, and recovery codes. */
  readonly used: Set<string>;
}

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
  readonly answers: { readonly answer: PasskeyAnswer; isUsed: boolean }[];
}

/** A link for one guest, and how many have got in with it. */
export interface KnownLink {
  readonly token: string;
  entered: number;
}

/** A key with which a program opens apps as a member. */
export interface KnownKey {
  readonly label: string;
  readonly id: string;
  readonly text: string;
  readonly member: Member;
  readonly state: Fact<"added" | "revoked">;
}
