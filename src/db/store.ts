import type { NewLogEntry } from "../core/records.ts";
import type { SetupTokenStore } from "../core/setup/setup-token.ts";
import type { Store } from "../core/store.ts";
import type { Db } from "./database.ts";
import * as codes from "./queries/codes.ts";
import * as keys from "./queries/keys.ts";
import * as links from "./queries/links.ts";
import * as log from "./queries/log.ts";
import * as names from "./queries/names.ts";
import * as passkeys from "./queries/passkeys.ts";
import { listPeople } from "./queries/people.ts";
import * as sessions from "./queries/sessions.ts";
import * as setupToken from "./queries/setup-token.ts";
import * as users from "./queries/users.ts";

/** What a store needs of its database. */
interface StoreParts {
  /** @throws {Unavailable} while the database is not open yet. */
  readonly db: () => Db;
  /** For what no page waits for. */
  readonly patientDb: () => Db;
  insertEntries(entries: readonly NewLogEntry[]): Promise<void>;
}

/** The queries of both databases, by the names that the rules use. */
export function createStore({
  db,
  patientDb,
  insertEntries,
}: StoreParts): Required<Omit<Store, "attempts">> & { readonly setupToken: SetupTokenStore } {
  return {
    setupToken: {
      find: async () => setupToken.findSetupToken(db()),
      keep: async (token) => setupToken.keepSetupToken(db(), token),
      replace: async (token) => setupToken.replaceSetupToken(db(), token),
      remove: async () => setupToken.removeSetupToken(db()),
    },
    users: {
      any: async () => users.anyUserExists(db()),
      find: async (id) => users.findUser(db(), id),
      findByName: async (username) => users.findUserByName(db(), username),
      read: async (afterId, limit) => users.listUsers(db(), afterId, limit),
      insertFirst: async (user) => users.insertFirstUser(db(), user),
      insert: async (user) => users.insertUser(db(), user),
      rename: async (id, username) => users.renameUser(db(), id, username),
      isNameUsed: async (username) => users.isNameUsed(db(), username),
      forgetName: async (username) => names.forgetName(db(), username),
      setGroups: async (id, groups, keep) => users.setUserGroups(db(), id, groups, keep),
      remove: async (id, keep) => users.removeUser(db(), id, keep),
      replaceHash: async (id, from, to, keep) =>
        users.replacePasswordHash(db(), id, from, to, keep),
      endSessions: async (id, before, asker) => users.endSessionsOfUser(db(), id, before, asker),
      endAllSessions: async (before) => users.endAllSessions(patientDb(), before),
    },
    people: { list: async (query) => listPeople(db(), query) },
    sessions: {
      insert: async (session) => sessions.insertSession(db(), session),
      find: async (id) => sessions.findSession(db(), id),
      listOf: async (user, now, limit) => sessions.listSessions(db(), user, now, limit),
      noteUsed: async (ids, at) => sessions.noteSessionsUsed(db(), ids, at),
      end: async (session, at) => sessions.endSession(db(), session, at),
      hasEnded: async (id) => users.hasSessionEnded(db(), id),
      findUser: async (id, user) => sessions.findSessionUser(db(), id, user),
      handOff: async (handoff, now) => sessions.insertHandoff(db(), handoff, now),
      takeHandoff: async (id) => sessions.takeHandoff(db(), id),
    },
    passkeys: {
      any: async () => passkeys.anyPasskeyExists(db()),
      listOf: async (user) => passkeys.listPasskeys(db(), user),
      insert: async (passkey, limit, sessionsFrom) =>
        passkeys.insertPasskey(db(), passkey, limit, sessionsFrom),
      rename: async (user, id, name) => passkeys.renamePasskey(db(), user, id, name),
      remove: async (user, id) => passkeys.removePasskey(db(), user, id),
      answer: async (challenge, now) => passkeys.claimChallenge(db(), challenge, now),
      use: async (user, id, counter, at) => passkeys.notePasskeyUse(db(), user, id, counter, at),
    },
    codes: {
      any: async () => codes.anyCodesExist(db()),
      find: async (user) => codes.findCodes(db(), user),
      begin: async (user, mark) => codes.beginCodes(db(), user, mark),
      turnOn: async (user, mark, enrolled) => codes.turnOnCodes(db(), user, mark, enrolled),
      turnOff: async (user) => codes.turnOffCodes(db(), user),
      endFactors: async (user, before) => codes.removeFactors(db(), user, before),
      useStep: async (user, step, secret, limit) =>
        codes.useCodeStep(db(), user, step, secret, limit),
      useRecovery: async (user, hash) => codes.useRecoveryCode(db(), user, hash),
      renewRecovery: async (user, hashes) => codes.renewRecoveryCodes(db(), user, hashes),
      countWrong: async (user, limit) => codes.countWrongCode(db(), user, limit),
    },
    devices: {
      insert: async (device) => codes.insertDevice(db(), device),
      find: async (id, now) => codes.findDevice(db(), id, now),
      listOf: async (user, now, limit) => codes.listDevices(db(), user, now, limit),
      remove: async (user, id) => codes.removeDevice(db(), user, id),
    },
    links: {
      insert: async (link) => links.insertLink(db(), link),
      find: async (tokenHash, now) => links.findLink(db(), tokenHash, now),
      read: async (afterId, limit, now) => links.listLinks(db(), afterId, limit, now),
      use: async (link, account, now) => links.consumeLink(db(), link, account, now),
      revoke: async (id, now) => links.revokeLink(db(), id, now),
      removeEnded: async (now) => links.removeEndedLinks(db(), now),
    },
    keys: {
      find: async (hash) => keys.findKey(db(), hash),
      listOf: async (user) => keys.listKeys(db(), user),
      insert: async (key, limit) => keys.insertKey(db(), key, limit),
      remove: async (id, of) => keys.removeKey(db(), id, of),
      noteUsed: async (id, at) => keys.noteKeyUsed(db(), id, at),
    },
    log: {
      insert: insertEntries,
      read: async (query) => log.listEntries(db(), query),
      newest: async (query) => log.listNewestEntries(db(), query),
      prune: async (before, limit) => log.pruneEntries(db(), before, limit),
      pruneType: async (type, keep, limit) => log.pruneEntriesOfType(db(), type, keep, limit),
    },
  };
}
