import type { RequestListener } from "node:http";

/** One way to keep a page behind a sign-in, as an application would have it. */
export interface Peer {
  /** Makes so many people, and answers with the `Cookie` header of a session of each. */
  plant(folder: string, count: number): Promise<readonly string[]>;
  serve(folder: string): Promise<RequestListener>;
}

export const SECRET = "pK3vX9qLr7TzW2mYcB8nJ5dHsF4gA6eU";
export const PASSWORD = "correct horse";

/** What everything here hashes passwords with that has no hash of its own. */
export const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Latchkey's, given to every peer whose default is another one: it changes no figure. */
export const THIRTY_DAYS_S = 2_592_000;

export const nameOf = (index: number): string => `user-${index}`;

export const namesUpTo = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => nameOf(index));

/** The page behind the door; in the open, it greets somebody who is always the same. */
export const greeting = (username: string): string => `hello ${username}`;
