import { isAdmin } from "./core/accounts/set-groups.ts";
import type { Clock } from "./core/base/clock.ts";
import { Fault, messageOf } from "./core/base/fault.ts";
import { type Recently, recently } from "./core/base/recently.ts";
import {
  beginCodes,
  confirmCodes,
  renewRecoveryCodes,
  turnOffCodes,
} from "./core/codes/own-codes.ts";
import { forgetDevice, listDevices } from "./core/codes/remembered-devices.ts";
import { createKeyGuard, type KeyGuardPorts } from "./core/keys/key-guard.ts";
import { addKey, revokeKey } from "./core/keys/own-keys.ts";
import { findLink, type UseLinkPorts, useLink } from "./core/links/use-link.ts";
import type { EventLog } from "./core/log/event-log.ts";
import { byAdmin, eventOf } from "./core/log/events.ts";
import { createChallenges } from "./core/passkeys/challenges.ts";
import {
  addPasskey,
  beginPasskey,
  removePasskey,
  renamePasskey,
} from "./core/passkeys/own-passkeys.ts";
import { signInWithPasskey } from "./core/passkeys/sign-in-with-passkey.ts";
import { type UserId, userOf } from "./core/records.ts";
import type { SignInOutcome, SignInPorts } from "./core/sign-in/sign-in.ts";
import type { Store, UserStore } from "./core/store.ts";
import type { SettledOptions } from "./options.ts";
import type {
  CodeRules,
  DeviceRules,
  KeyRules,
  LinkRules,
  PasskeyRules,
  PeopleRules,
} from "./web/ports.ts";

/** Afterwards, guards decide again whether the account lacks a second factor. */
const changes =
  (any: Recently<boolean>, { users }: Pick<SignInPorts, "users">) =>
  <T>(userId: UserId, outcome: Promise<T>): Promise<T> =>
    outcome.finally(() => {
      any.forget();
      users.forget(userId);
    });

/** `undefined` if they are left out, or the store does not keep them. */
export function codeRules(
  { signIn, store: { users, codes } }: SettledOptions,
  given: SignInPorts,
  any: Recently<boolean>,
): CodeRules | undefined {
  if (!signIn.codes || codes === undefined) return undefined;
  const ports = { ...given, store: { users, codes } };
  const changing = changes(any, given);
  return {
    find: (userId) => codes.find(userId),
    begin: (userId) => beginCodes(ports, userId),
    confirm: (userId, form, client) => changing(userId, confirmCodes(ports, userId, form, client)),
    renew: (user, client) => renewRecoveryCodes(ports, user, client),
    turnOff: (user, client) => changing(user.id, turnOffCodes(ports, user, client)),
  };
}

/** `undefined` if none are remembered. */
export function deviceRules({ users, codes }: Store, given: SignInPorts): DeviceRules | undefined {
  const { devices } = given;
  if (devices === undefined || codes === undefined) return undefined;
  const ports = { ...given, devices, store: { users, codes } };
  return {
    list: (userId) => listDevices(ports, userId),
    forget: (user, id, client) => forgetDevice(ports, user, id, client),
  };
}

/** `undefined` if the store does not keep them. */
export function linkRules(
  { users, links }: Store,
  given: Omit<UseLinkPorts, "store"> & Pick<SignInPorts, "log">,
): LinkRules | undefined {
  if (links === undefined) return undefined;
  const ports = { ...given, store: { users, links } };
  return {
    find: (token, client) => findLink(ports, token, client),
    use: (token, form, client) => useLink(ports, token, form, client),
    async removeEnded() {
      try {
        const removed = await links.removeEnded(new Date(ports.clock.now()));
        for (const user of removed) ports.events.record(eventOf("user_remove", { user }));
      } catch (error) {
        ports.log.warn({ reason: messageOf(error) }, "cannot remove guests whose time has ended");
      }
    },
  };
}

/** `undefined` if they are left out. */
export function peopleRules(
  { people: isOn, store: { users, people, log, links } }: SettledOptions,
  living: Pick<UserStore, "find">,
  given: Pick<SignInPorts, "users" | "clock" | "passwords"> & { readonly events: EventLog },
): PeopleRules | undefined {
  if (!isOn) return undefined;
  if (people === undefined || links === undefined) {
    throw new Fault("invalid_option", "people takes true only with a store of people and links");
  }
  const { events, clock, passwords } = given;
  return {
    async administrator(id) {
      const found = await living.find(id);
      const user = found && userOf(found);
      return user && isAdmin(user) ? user : undefined;
    },
    portsOf: (actor, client) => ({
      // Of accounts that have ended as well.
      ...{ store: { users, people, log, links }, clock, passwords, flush: events.flush },
      keep: "an-admin",
      async record(event) {
        if (event.userId !== undefined) given.users.forget(event.userId);
        events.record(byAdmin(event, actor, client));
      },
    }),
  };
}

/** `undefined` if guards do not admit keys. */
export function keyRules(
  { guards, store: { users, keys }, signIn }: SettledOptions,
  given: SignInPorts & Pick<KeyGuardPorts, "users" | "clock" | "keyLimiter">,
): KeyRules | undefined {
  if (!guards.keys || keys === undefined) return undefined;
  const { limitIpv6Prefix } = signIn;
  const ports = { ...given, store: { users, keys }, record: given.events.record };
  return {
    guard: createKeyGuard({ ...given, store: keys, limitIpv6Prefix }),
    list: (userId) => keys.listOf(userId),
    add: (...args) => addKey(ports, ...args),
    revoke: (...args) => revokeKey(ports, ...args),
  };
}

/** `undefined` if they are left out, or the store does not keep them. */
export function passkeyRules(
  { signIn, store: { users, passkeys }, secret, previousSecrets }: SettledOptions,
  given: SignInPorts & { readonly clock: Clock },
  counted: (outcome: SignInOutcome) => SignInOutcome,
): PasskeyRules | undefined {
  if (!signIn.passkeys || passkeys === undefined) return undefined;
  const challenges = createChallenges([secret, ...previousSecrets], given.clock);
  const ports = { ...given, store: { users, passkeys }, challenges };
  const any = recently(() => passkeys.any(), given.clock);
  const changing = changes(any, given);
  return {
    any: any.read,
    list: (userId) => passkeys.listOf(userId),
    begin: (...args) => beginPasskey(ports, ...args),
    add: (...args) => changing(args[0], addPasskey(ports, ...args)),
    rename: (...args) => renamePasskey(ports, ...args),
    remove: (...args) => changing(args[0].id, removePasskey(ports, ...args)),
    challenge: () => challenges.issue("sign-in"),
    signIn: async (...args) => counted(await signInWithPasskey(ports, ...args)),
  };
}
