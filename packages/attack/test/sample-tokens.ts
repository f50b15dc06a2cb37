import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Behaviour, Memory, User } from "./sample-behaviour.ts";

/** What the sample server issues tokens for, besides sessions and hand-offs. */
export type Purpose = "key" | "device" | "link";

export interface IssuedToken {
  readonly purpose: Purpose;
  readonly userId: string;
}

/** How the sample server tells its tokens apart, which a test can replace. */
export interface TokenBehaviour {
  /** Whether a token of that purpose is taken where the other is expected. */
  isFor(purpose: Purpose, expected: Purpose | "session"): boolean;
  sealedFits(sealed: string, expected: string): boolean;
}

export const tellsTokensApart: TokenBehaviour = {
  isFor: (purpose, expected) => purpose === expected,
  sealedFits: (sealed, expected) => sealed === expected,
};

/** An API key begins like those of Latchkey. */
export function issueToken({ issued }: Memory, purpose: Purpose, userId: string): string {
  const text = randomBytes(32).toString("base64url");
  const token = purpose === "key" ? `latchkey_${text}` : text;
  issued.set(token, { purpose, userId });
  return token;
}

/** The ID of the user who holds the token, if it is taken here. */
export function holderOf(
  { isFor }: Pick<Behaviour, "isFor">,
  { issued }: Memory,
  token: string,
  expected: Purpose | "session",
): string | undefined {
  const found = issued.get(token);
  return found && isFor(found.purpose, expected) ? found.userId : undefined;
}

/** The user of the API key in the header `Authorization`. */
export function keyHolderOf(
  parts: Behaviour,
  memory: Memory,
  { headers }: IncomingMessage,
): User | undefined {
  const [scheme = "", credentials = ""] = (headers.authorization ?? "").split(" ");
  // Unlike atob, it throws for no text.
  const decoded = Buffer.from(credentials, "base64").toString();
  const text = scheme === "Basic" ? decoded.replace(/^[^:]*:/, "") : credentials;
  const id = holderOf(parts, memory, text, "key");
  return memory.users.find((one) => one.id === id);
}

/** Whether the browser is one that the user has told the server to remember. */
export function isRemembered(
  parts: Behaviour,
  memory: Memory,
  { headers }: IncomingMessage,
  user: User,
): boolean {
  const [, text = ""] = /(?:^|; )latchkey-device=([^;]*)/.exec(headers.cookie ?? "") ?? [];
  return holderOf(parts, memory, text, "device") === user.id;
}
