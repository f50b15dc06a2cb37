import type { User } from "../../db/records.ts";
import type { Factors, VerifiedToken } from "../../identity/session-token.ts";
import { computeValidUpTo } from "../../identity/session-token.ts";
import { digestText } from "../../lib/random-text.ts";

/** Describes the signed-in user of a request, and the session that identifies the user. */
export interface Visitor {
  readonly user: User;
  /** Identifies the session, also if its token was made elsewhere and has no ID. */
  readonly sessionKey: string;
  /** The grants of the session end with this session. */
  readonly sessionId: string | undefined;
  /** The times are in milliseconds since 1970. */
  readonly signedInAt: number;
  readonly expiresAt: number;
  /** The session ends once the `sessionsFrom` of the account is greater than this value. */
  readonly validUpTo: number;
  readonly factors: Factors;
}

export function toVisitor(user: User, token: VerifiedToken, factors: Factors): Visitor {
  const { id, issuedAt, expiresAt } = token;
  return {
    user,
    sessionKey: digestText(`${user.id} ${id ?? ""} ${issuedAt} ${expiresAt}`),
    sessionId: id,
    signedInAt: issuedAt,
    expiresAt,
    validUpTo: Math.floor(computeValidUpTo(token)),
    factors,
  };
}

/** Returns the ID by which an app knows a session: the same at each sign-in of the session. */
export const toSid = ({ sessionKey }: Visitor, appId: string): string =>
  digestText(`sid ${appId} ${sessionKey}`);

/** Names how the user has signed in, for the claims `acr` and `amr`. */
export const ONE_FACTOR = "urn:latchkey:factor:1";
export const TWO_FACTORS = "urn:latchkey:factor:2";

export const toAcr = (factors: Factors): string => (factors === 2 ? TWO_FACTORS : ONE_FACTOR);

/** Lists the methods of RFC 8176. A passkey or a code after the password counts as `mfa`. */
export const toAmr = (factors: Factors): string[] => (factors === 2 ? ["mfa"] : ["pwd"]);
