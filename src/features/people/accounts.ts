import { createAuditEvent, type NewAuditEvent } from "../../audit/events.ts";
import type { PeopleQuery } from "../../db/queries/people.ts";
import type { Kept } from "../../db/queries/users.ts";
import {
  type NewUser,
  NO_PASSWORD,
  type Person,
  type StoredUser,
  UNSET_PASSWORD,
  type User,
  type UserId,
} from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import { type ChangeServices, changeAccount } from "../../identity/credential-cache.ts";
import { normalizeGroups } from "../../identity/groups.ts";
import { isTooShort } from "../../identity/password-length.ts";
import type { Passwords } from "../../identity/passwords.ts";
import type { Clock } from "../../lib/clock.ts";
import { nextSecond } from "../../lib/clock.ts";
import { Fault } from "../../lib/fault.ts";
import { isUsableUsername, nameKeyOf } from "../../lib/names.ts";
import type { SetupTokenSource } from "../setup/setup-token.ts";

interface UserServices extends ChangeServices {
  readonly store: Pick<StoreParts, "users">;
  readonly clock: Pick<Clock, "now">;
  /** Writes an audit log entry that says who made the change. */
  readonly record: (event: NewAuditEvent) => unknown;
}

/** Lists the services that the account commands need. */
export interface AccountServices extends UserServices {
  readonly passwords: Pick<Passwords, "hash">;
  /**
   * Protects the last administrator. Changes by an administrator set this; changes by an operator
   * do not.
   */
  readonly keep?: Kept;
}

/** Says whether the account was added, or why nothing has changed. */
export type AddUserOutcome =
  | { readonly kind: "groups-invalid" | "username-missing" | "username-invalid" }
  /**
   * `username-used` means that no other account has the name, but an account had it or a similar
   * name.
   */
  | { readonly kind: "username-taken" | "username-used" }
  | { readonly kind: "password-too-short" }
  /** The first account cannot have an end, because no user could sign in after it. */
  | { readonly kind: "first-ends" }
  | { readonly kind: "added"; readonly user: User };

export interface AddUserServices extends AccountServices {
  readonly setupToken: Pick<SetupTokenSource, "delete">;
}

/**
 * Adds an account. The first account closes the setup, so its setup token is deleted. `setupToken`
 * should report a failure itself, because the account already exists then.
 *
 * @param password Without a password, the account has none until one is set.
 */
export async function addUser(
  { store, passwords, setupToken, record }: AddUserServices,
  username: string,
  password: string | undefined,
  { groups: requestedGroups = [], endsAt }: Pick<NewUser, "groups" | "endsAt"> = {},
): Promise<AddUserOutcome> {
  const groups = normalizeGroups(requestedGroups);
  if (groups === "invalid") return { kind: "groups-invalid" };
  if (username === "") return { kind: "username-missing" };
  if (!isUsableUsername(username)) return { kind: "username-invalid" };
  if (password !== undefined && isTooShort(password)) return { kind: "password-too-short" };
  const isFirst = !(await store.users.any());
  if (isFirst && endsAt) return { kind: "first-ends" };
  const passwordHash = password === undefined ? UNSET_PASSWORD : await passwords.hash(password);
  const user = await store.users.insert({
    username,
    passwordHash,
    ...(groups.length > 0 && { groups }),
    // `null` also means that the account has no end. The store refuses other values, such as 0.
    ...(endsAt !== undefined && endsAt !== null && { endsAt }),
  });
  if (user === undefined) return { kind: await findNameConflict(store, username) };
  await record(createAuditEvent("user_add", { user }));
  if (isFirst) await setupToken.delete();
  return { kind: "added", user };
}

/** Returns why the store refuses a username. */
export async function findNameConflict(
  { users }: { readonly users: Pick<StoreParts["users"], "findByName"> },
  username: string,
): Promise<"username-taken" | "username-used"> {
  return (await users.findByName(username)) === undefined ? "username-used" : "username-taken";
}

/**
 * Says whether the account was renamed, or why nothing has changed. The outcomes for usernames have
 * the same meaning as in `addUser`.
 */
export type RenameUserOutcome =
  | "no-user"
  | "username-missing"
  | "username-invalid"
  | "username-taken"
  | "username-used"
  | "renamed";

/** Renames an account. Sessions continue, because they identify the user by ID. */
export async function renameUser(
  services: AccountServices,
  id: UserId,
  to: string,
): Promise<RenameUserOutcome> {
  const { store, record } = services;
  if (typeof to !== "string") throw new Fault("invalid_option", "the username is not a text");
  if (to === "") return "username-missing";
  if (!isUsableUsername(to)) return "username-invalid";
  const user = await store.users.find(id);
  const outcome = user && (await changeAccount(services, id, () => store.users.rename(id, to)));
  if (user === undefined || outcome === "missing") return "no-user";
  if (outcome === "taken") return findNameConflict(store, to);
  await record(createAuditEvent("user_rename", { user: { ...user, username: to } }));
  return "renamed";
}

const PAGE_SIZE = 1_000;

/**
 * Frees a username that an account had, so that another account can have it. Apps that identify
 * accounts by name take the next account with this name for the earlier one.
 */
export async function forgetName(
  { store, record }: UserServices,
  username: string,
): Promise<"username-taken" | "no-name" | "forgotten"> {
  const key = nameKeyOf(username);
  // All accounts are read, because other accounts can have had the name before names were recorded.
  for (let after = ""; ; ) {
    const users = await store.users.read(after, PAGE_SIZE);
    if (users.some((user) => nameKeyOf(user.username) === key)) return "username-taken";
    const last = users.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  if (!(await store.users.forgetName(username))) return "no-name";
  await record(createAuditEvent("name_forget", { name: username }));
  return "forgotten";
}

/** Says whether the password was set, or why nothing has changed. */
export type ResetPasswordOutcome = "no-user" | "guest" | "password-too-short" | "reset";

/** Sets a new password without asking for the old one, for a user who has forgotten it. */
export async function resetPassword(
  services: AccountServices,
  id: UserId,
  password: string,
): Promise<ResetPasswordOutcome> {
  const { store, passwords, record } = services;
  const user = await store.users.find(id);
  if (user === undefined) return "no-user";
  // With a password, the guest would be admitted by guards without a list.
  if (user.passwordHash === NO_PASSWORD) return "guest";
  if (isTooShort(password)) return "password-too-short";
  const hash = await passwords.hash(password);
  const replace = ({ passwordHash }: StoredUser) =>
    changeAccount(services, id, () => store.users.replaceHash(id, passwordHash, hash));
  let current: StoredUser | undefined = user;
  while (!(await replace(current))) {
    // The user has changed the password in the meantime, or the account was removed.
    current = await store.users.find(id);
    if (current === undefined) return "no-user";
  }
  await record(createAuditEvent("user_password", { user }));
  return "reset";
}

/** Says whether the account was removed, or why nothing has changed. */
export type RemoveUserOutcome = "no-user" | "last-user" | "last-admin" | "removed";

/**
 * Removes an account. Never removes the last user, because that would reopen the setup for anyone.
 */
export async function removeUser(
  services: AccountServices,
  id: UserId,
): Promise<RemoveUserOutcome> {
  const { store, record, keep } = services;
  const user = await store.users.find(id);
  const outcome = user && (await changeAccount(services, id, () => store.users.remove(id, keep)));
  if (user === undefined || outcome === "missing") return "no-user";
  if (outcome === "last") return "last-user";
  if (outcome === "last-admin") return outcome;
  await record(createAuditEvent("user_remove", { user }));
  return "removed";
}

/** Ends every session of the user that was issued until now. */
export async function endUserSessions(
  services: UserServices,
  id: UserId,
): Promise<"no-user" | "ended"> {
  const { store, clock, record } = services;
  const user = await store.users.find(id);
  const end = () => store.users.endSessions(id, nextSecond(clock));
  const ended = user && (await changeAccount(services, id, end));
  if (ended === undefined) return "no-user";
  await record(createAuditEvent("user_sign_out", { user }));
  return "ended";
}

/** Ends every session of every user and returns the number of users. */
export async function endAllSessions(services: UserServices): Promise<number> {
  const { store, clock, record } = services;
  const end = () => store.users.endAllSessions(nextSecond(clock));
  const users = await changeAccount(services, "all", end);
  await record(createAuditEvent("user_sign_out_all", {}));
  return users;
}

interface RemoveCodesServices extends ChangeServices {
  readonly store: Pick<StoreParts, "users" | "codes">;
  /** Writes an audit log entry that says who made the change. */
  readonly record: (event: NewAuditEvent) => unknown;
}

/**
 * Turns codes off without a code, so that the operator can help after a lost phone. Also cancels an
 * enrolment that is not confirmed yet.
 */
export async function removeCodes(
  services: RemoveCodesServices,
  id: UserId,
): Promise<"no-user" | "already-off" | "off"> {
  const { store, record } = services;
  const user = await store.users.find(id);
  if (user === undefined) return "no-user";
  const isTurnedOff = await changeAccount(services, id, () => store.codes.turnOff(id));
  if (!isTurnedOff) return "already-off";
  await record(createAuditEvent("codes_off", { user }));
  return "off";
}

interface RemoveFactorsServices extends ChangeServices {
  readonly store: Pick<StoreParts, "users" | "codes">;
  readonly clock: Pick<Clock, "now">;
  /** Writes an audit log entry that says who made the change. */
  readonly record: (event: NewAuditEvent) => unknown;
}

/**
 * Removes codes and passkeys for a user who has lost them. All sessions end, so that neither a lost
 * device nor a sign-in or passkey that was begun on it can be used.
 */
export async function removeFactors(
  services: RemoveFactorsServices,
  id: UserId,
): Promise<"no-user" | "ended"> {
  const { store, clock, record } = services;
  const user = await store.users.find(id);
  const end = () => store.codes.endFactors(id, nextSecond(clock));
  if (!user || !(await changeAccount(services, id, end))) return "no-user";
  await record(createAuditEvent("factors_off", { user }));
  return "ended";
}

const PEOPLE_PER_PAGE = 25;

interface ListPeopleServices {
  readonly store: Pick<StoreParts, "people">;
  readonly clock: Pick<Clock, "now">;
}

/**
 * Lists a page of users whose username contains a text, after or before a username, which may no
 * longer exist. If no user is there, lists the first page. Returns the usernames that lead to the
 * pages before and after it.
 */
export async function listPeople(
  services: ListPeopleServices,
  search: string,
  { after = "", before }: Pick<PeopleQuery, "after" | "before">,
): Promise<{ readonly people: readonly Person[] } & Pick<PeopleQuery, "after" | "before">> {
  const { store, clock } = services;
  const [limit, now] = [PEOPLE_PER_PAGE + 1, new Date(clock.now())];
  const rows = await store.people.list({ search, after, before, limit, now });
  const isFirst = before === undefined && after === "";
  if (rows.length === 0 && !isFirst) return listPeople(services, search, {});
  const hasMore = rows.length === limit;
  const isBack = before !== undefined;
  const people = isBack ? rows.slice(-PEOPLE_PER_PAGE) : rows.slice(0, PEOPLE_PER_PAGE);
  return {
    people,
    before: (isBack ? hasMore : !isFirst) ? people[0]?.user.username : undefined,
    after: isBack || hasMore ? people.at(-1)?.user.username : undefined,
  };
}
