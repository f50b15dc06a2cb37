import type { User } from "../db/records.ts";

/**
 * Lists which users with a session are admitted. A name can be `undefined`, which matches no user.
 */
export interface Lists {
  readonly users: readonly (readonly (string | undefined)[])[];
  readonly groups: readonly (readonly (string | undefined)[])[];
}

/** Admits every user except guests. */
export const NO_LISTS: Lists = { users: [], groups: [] };

/**
 * Returns whether every list of users contains the name, or every list of groups contains a group
 * of the user. Without any list, every user is admitted. A second list of one kind can only exclude
 * more users. A guest is admitted by groups alone.
 */
export function admitsUser({ users, groups }: Lists, user: User): boolean {
  const isGuest = user.guest === true;
  if (users.length === 0 && groups.length === 0) return !isGuest;
  const isListed = users.every((names) => names.includes(user.username));
  const isMember = groups.every((names) =>
    names.some((name) => name !== undefined && user.groups?.includes(name) === true),
  );
  return (users.length > 0 && isListed && !isGuest) || (groups.length > 0 && isMember);
}
