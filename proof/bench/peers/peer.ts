import type { RequestListener } from "node:http";

/** An app that protects a page with one of the libraries. */
export interface Peer {
  /** Creates users, and returns the `Cookie` header of a session for each. */
  plant(folder: string, count: number): Promise<readonly string[]>;
  serve(folder: string): Promise<RequestListener>;
}

export const SECRET = "pK3vX9qLr7TzW2mYcB8nJ5dHsF4gA6eU";
export const PASSWORD = "correct horse";

/** The password hash for libraries without one. */
export const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Latchkey's value, set for every peer with another default; it affects no figure. */
export const THIRTY_DAYS_S = 2_592_000;

export const nameOf = (index: number): string => `user-${index}`;

export const namesUpTo = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => nameOf(index));

/** The protected page; without protection, it greets a fixed name. */
export const greeting = (username: string): string => `hello ${username}`;
