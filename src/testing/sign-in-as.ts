import { checkSignIn } from "../api-arguments.ts";
import { type Auth, Fault } from "../index.ts";

/**
 * Signs a user in for a test of an app, without the sign-in page, a password hash or a rate limit.
 * If the account does not exist, it is added without a password.
 *
 * @param account.groups The groups that the account then has. Default: its current groups.
 * @returns The value of a Cookie header.
 * @throws {Fault} `test_only` if `NODE_ENV` is `production`, `invalid_option` for groups or a username
 *   that an account cannot have.
 *
 * @example
 * ```ts
 * const cookie = await signInAs(auth, "alice", { groups: ["family"] });
 * const response = await app.request("/photos", { headers: { cookie } });
 * ```
 */
export async function signInAs(
  auth: Auth,
  username: string,
  options: { readonly groups?: readonly string[] } = {},
): Promise<string> {
  if (process.env.NODE_ENV === "production") {
    throw new Fault("test_only", "signInAs is for tests: NODE_ENV is production");
  }
  const { users, sessions }: Partial<Auth> = auth;
  // `auth` can be something else, such as a promise of an `Auth` object.
  if (users === undefined || sessions === undefined)
    throw new Fault("invalid_option", "signInAs takes the Auth object that createAuth returns");
  const { groups } = checkSignIn(options);
  const user = (await users.findByUsername(username)) ?? (await addUser(users, username));
  if (groups !== undefined) {
    const outcome = await users.setGroups(user.id, groups);
    if (outcome !== "set") throw createSignInFault(username, outcome);
  }
  const session = await sessions.create(user.id);
  if (session === undefined) throw createSignInFault(username, "no-user");
  return session.cookie;
}

async function addUser(users: Auth["users"], username: string) {
  const outcome = await users.add({ username });
  if (outcome.kind === "added") return outcome.user;
  // Another test that runs at the same time may have added the account.
  const existingUser = await users.findByUsername(username);
  if (existingUser === undefined) throw createSignInFault(username, outcome.kind);
  return existingUser;
}

const createSignInFault = (username: string, reason: string): Fault =>
  new Fault("invalid_option", `cannot sign in as "${username}": ${reason}`);
