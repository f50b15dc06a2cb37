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
import { normalizeGroups } from "../../identity/groups.ts";
import { isTooShort } from "../../identity/password-length.ts";
import type { Passwords } from "../../identity/passwords.ts";
import type { Clock } from "../../lib/clock.ts";
import { nextSecond } from "../../lib/clock.ts";
import { Fault } from "../../lib/fault.ts";
import { isUsableUsername, nameKeyOf } from "../../lib/names.ts";
import type { SetupTokenSource } from "../setup/setup-token.ts";

interface UserServices {
  readonly store: Pick<StoreParts, "users">;
  readonly clock: Pick<Clock, "now">;
  /** Writes an entry of the audit log, which says who did it. */
  readonly record: (event: NewAuditEvent) => unknown;
}

/** What the rules of the account commands need. */
export interface AccountServices extends UserServices {
  readonly passwords: Pick<Passwords, "hash">;
  /** For a change by an administrator, who cannot leave nobody in charge. An operator can. */
  readonly keep?: Kept;
}

/** What the change has done, or why nothing has changed. */
export type AddUserOutcome =
  | { readonly kind: "groups-invalid" | "username-missing" | "username-invalid" }
  /** `username-used` if it is not the name of another account, but was, or is like one of those. */
  | { readonly kind: "username-taken" | "username-used" }
  | { readonly kind: "password-too-short" }
  /** The first account cannot end: nobody could sign in after that. */
  | { readonly kind: "first-ends" }
  | { readonly kind: "added"; readonly user: User };

export interface AddUserServices extends AccountServices {
  readonly setupToken: Pick<SetupTokenSource, "delete">;
}

/**
 * The first account closes the setup, so the setup token is deleted. `setupToken` should report a
 * failure itself: the account exists by then.
 *
 * @param password Without it, the account has none until it is set.
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
    // `null` means none, too. The store refuses other values, such as 0.
    ...(endsAt !== undefined && endsAt !== null && { endsAt }),
  });
  if (user === undefined) return { kind: await findNameConflict(store, username) };
  await record(createAuditEvent("user_add", { user }));
  if (isFirst) await setupToken.delete();
  return { kind: "added", user };
}

/** Why the store refuses a username. */
async function findNameConflict(
  { users }: UserServices["store"],
  username: string,
): Promise<"username-taken" | "username-used"> {
  return (await users.findByName(username)) === undefined ? "username-used" : "username-taken";
}

/** What the change has done, or why nothing has changed. The usernames as for `addUser`. */
export type RenameUserOutcome =
  | "no-user"
  | "username-missing"
  | "username-invalid"
  | "username-taken"
  | "username-used"
  | "renamed";

/** Sessions continue, since they identify the user by ID. */
export async function renameUser(
  { store, record }: AccountServices,
  id: UserId,
  to: string,
): Promise<RenameUserOutcome> {
  if (typeof to !== "string") throw new Fault("invalid_option", "the username is not a text");
  if (to === "") return "username-missing";
  if (!isUsableUsername(to)) return "username-invalid";
  const user = await store.users.find(id);
  const outcome = user && (await store.users.rename(id, to));
  if (user === undefined || outcome === "missing") return "no-user";
  if (outcome === "taken") return findNameConflict(store, to);
  await record(createAuditEvent("user_rename", { user: { ...user, username: to } }));
  return "renamed";
}

const PAGE_SIZE = 1_000;

/**
 * Frees a username that an account had, so that another one can have it. The person who gets it is
 * taken for the earlier one by every app that knows accounts by their name.
 */
export async function forgetName(
  { store, record }: UserServices,
  username: string,
): Promise<"username-taken" | "no-name" | "forgotten"> {
  const key = nameKeyOf(username);
  // Not only the account that is noted: others can have had the name before names were noted.
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

/** What the change has done, or why nothing has changed. */
export type ResetPasswordOutcome = "no-user" | "guest" | "password-too-short" | "reset";

/** For a forgotten password: does not ask for the old one. */
export async function resetPassword(
  { store, passwords, record }: AccountServices,
  id: UserId,
  password: string,
): Promise<ResetPasswordOutcome> {
  const user = await store.users.find(id);
  if (user === undefined) return "no-user";
  // Guards without a list would admit the guest from then on.
  if (user.passwordHash === NO_PASSWORD) return "guest";
  if (isTooShort(password)) return "password-too-short";
  const hash = await passwords.hash(password);
  let current: StoredUser | undefined = user;
  while (!(await store.users.replaceHash(id, current.passwordHash, hash))) {
    // The user has changed the password in the meantime, or is gone.
    current = await store.users.find(id);
    if (current === undefined) return "no-user";
  }
  await record(createAuditEvent("user_password", { user }));
  return "reset";
}

/** What the change has done, or why nothing has changed. */
export type RemoveUserOutcome = "no-user" | "last-user" | "last-admin" | "removed";

/** Never removes the last user, which would reopen the setup for anyone. */
export async function removeUser(
  { store, record, keep }: AccountServices,
  id: UserId,
): Promise<RemoveUserOutcome> {
  const user = await store.users.find(id);
  const outcome = user && (await store.users.remove(id, keep));
  if (user === undefined || outcome === "missing") return "no-user";
  if (outcome === "last") return "last-user";
  if (outcome === "last-admin") return outcome;
  await record(createAuditEvent("user_remove", { user }));
  return "removed";
}

/** Ends every session of the user that was issued up to now. */
export async function endUserSessions(
  { store, clock, record }: UserServices,
  id: UserId,
): Promise<"no-user" | "ended"> {
  const user = await store.users.find(id);
  const ended = user && (await store.users.endSessions(id, nextSecond(clock)));
  if (ended === undefined) return "no-user";
  await record(createAuditEvent("user_sign_out", { user }));
  return "ended";
}

/** Returns the number of users. */
export async function endAllSessions({ store, clock, record }: UserServices): Promise<number> {
  const users = await store.users.endAllSessions(nextSecond(clock));
  await record(createAuditEvent("user_sign_out_all", {}));
  return users;
}

interface RemoveCodesServices {
  readonly store: Pick<StoreParts, "users" | "codes">;
  /** Writes an entry of the audit log, which says who did it. */
  readonly record: (event: NewAuditEvent) => unknown;
}

/** For a lost phone: the operator turns codes off without one. Also ends what was begun. */
export async function removeCodes(
  { store, record }: RemoveCodesServices,
  id: UserId,
): Promise<"no-user" | "already-off" | "off"> {
  const user = await store.users.find(id);
  if (user === undefined) return "no-user";
  if (!(await store.codes.turnOff(id))) return "already-off";
  await record(createAuditEvent("codes_off", { user }));
  return "off";
}

interface RemoveFactorsServices {
  readonly store: Pick<StoreParts, "users" | "codes">;
  readonly clock: Pick<Clock, "now">;
  /** Writes an entry of the audit log, which says who did it. */
  readonly record: (event: NewAuditEvent) => unknown;
}

/**
 * For a user who has lost codes and passkeys: the operator removes both. All sessions end with them,
 * so that neither a lost device nor what was begun there, a passkey or a sign-in, can be used.
 */
export async function removeFactors(
  { store, clock, record }: RemoveFactorsServices,
  id: UserId,
): Promise<"no-user" | "ended"> {
  const user = await store.users.find(id);
  if (!user || !(await store.codes.endFactors(id, nextSecond(clock)))) return "no-user";
  await record(createAuditEvent("factors_off", { user }));
  return "ended";
}

const PEOPLE_PER_PAGE = 25;

interface ListPeopleServices {
  readonly store: Pick<StoreParts, "people">;
  readonly clock: Pick<Clock, "now">;
}

/**
 * A page of the people whose username contains a text, next to a username, which can be gone by now;
 * the first page if there is nobody. Returns the usernames that lead to the pages around it.
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
