import type { Db } from "./database.ts";
import type { Observer, Operations } from "./operations.ts";
import * as appUses from "./queries/app-uses.ts";
import * as apps from "./queries/apps.ts";
import * as codes from "./queries/codes.ts";
import * as consents from "./queries/consents.ts";
import { removeExpiredGrants } from "./queries/expired.ts";
import * as grants from "./queries/grants.ts";
import { countAdmitted, listGroups } from "./queries/groups.ts";
import * as identities from "./queries/identities.ts";
import * as keys from "./queries/keys.ts";
import * as links from "./queries/links.ts";
import * as log from "./queries/log.ts";
import * as names from "./queries/names.ts";
import { insertAccount } from "./queries/new-accounts.ts";
import * as outbox from "./queries/outbox.ts";
import * as passkeys from "./queries/passkeys.ts";
import { countPeople, findPerson, findUsernames, listPeople } from "./queries/people.ts";
import * as profiles from "./queries/profiles.ts";
import * as sessions from "./queries/sessions.ts";
import * as setupToken from "./queries/setup-token.ts";
import * as signOuts from "./queries/sign-outs.ts";
import * as signUps from "./queries/sign-ups.ts";
import * as signingKeys from "./queries/signing-keys.ts";
import * as tokens from "./queries/tokens.ts";
import * as users from "./queries/users.ts";
import type { AttemptRule, NewLogEntry } from "./records.ts";
import type { TransferStore } from "./transfer-store.ts";

/** Provides access to an open database. */
export interface OpenDatabase {
  readonly db: Db;
  /** Work that no page waits for uses this database. */
  readonly patientDb: Db;
}

/**
 * Represents a database that `openSqlite` or `openPostgres` has opened, for the option `store` of
 * `createAuth`. Close the store after the Auth object.
 */
export interface Store {
  readonly kind: "sqlite" | "postgres";
  close(): void | Promise<void>;
  /** @internal */
  readonly users: StoreParts["users"];
  /** @internal */
  readonly log: StoreParts["log"];
  /** Lists sessions, and ends single sessions. @internal */
  readonly sessions: StoreParts["sessions"];
  /** @internal */
  readonly passkeys: StoreParts["passkeys"];
  /** Stores with which accounts at other providers people sign in. @internal */
  readonly identities: StoreParts["identities"];
  /** @internal */
  readonly codes: StoreParts["codes"];
  /** @internal */
  readonly devices: StoreParts["devices"];
  /** Lists what administrators see of accounts. @internal */
  readonly people: StoreParts["people"];
  /** Stores one-time links, and the accounts that they create. @internal */
  readonly links: StoreParts["links"];
  /** @internal */
  readonly keys: StoreParts["keys"];
  /** Stores apps with their secrets and icons. @internal */
  readonly apps: StoreParts["apps"];
  /** Stores when people have opened apps, and when apps were refused to them. @internal */
  readonly appUses: StoreParts["appUses"];
  /** @internal */
  readonly consents: StoreParts["consents"];
  /** Stores names and e-mail addresses of people. @internal */
  readonly profiles: StoreParts["profiles"];
  /** Stores who has signed in to which app. @internal */
  readonly grants: StoreParts["grants"];
  /** Stores codes and tokens of OpenID Connect. @internal */
  readonly tokens: StoreParts["tokens"];
  /** Stores what apps must learn about the end of sessions. @internal */
  readonly signOuts: StoreParts["signOuts"];
  /** Stores requests for accounts. @internal */
  readonly signUps: StoreParts["signUps"];
  /** Stores messages that are sent in the background. @internal */
  readonly outbox: StoreParts["outbox"];
  /** @internal */
  readonly signingKeys: StoreParts["signingKeys"];
  /** Stores the setup token that all instances require. @internal */
  readonly setupToken: StoreParts["setupToken"];
  /** Only PostgreSQL has this part. @internal */
  readonly attempts?: AttemptPart;
  /** Copies, exports and imports use this part. @internal */
  readonly transfer: TransferStore;
  /** Lists the names of all operations, such as `users.find`. @internal */
  readonly operations: readonly string[];
  /**
   * Notifies the observer of every operation that ends, until the returned function is called.
   *
   * @internal
   */
  observe(observer: Observer): () => void;
}

/**
 * Applies a rate limit by the clock of the database. `postgres/attempts.ts` contains the queries.
 */
export interface AttemptPart {
  record(address: string, rule: AttemptRule): Promise<"allowed" | "denied">;
  forget(rule: AttemptRule): Promise<void>;
}

/**
 * Contains the operations of a store, by part. An operation fails by throwing, with an
 * `Unavailable` if a retry may help, so that pages respond with 503. An operation that changes data
 * is one atomic step across all processes and machines, and returns what it changed.
 */
export type StoreParts = ReturnType<typeof createParts>;

/**
 * Creates the parts of a store that both databases have.
 *
 * @param insertEntries Inserts all entries of the log or none, in their order. Entries that are
 * passed again after a failure with an unknown outcome are inserted once.
 */
export function createParts<Open extends OpenDatabase>(
  operations: Operations<Open>,
  insertEntries: (database: Open, entries: readonly NewLogEntry[]) => Promise<void>,
) {
  const operation = <Args extends readonly unknown[], Result>(
    name: string,
    query: (db: Db, ...args: Args) => Promise<Result>,
  ) => operations.define(name, ({ db }, ...args: Args) => query(db, ...args));

  return {
    setupToken: {
      find: operation("setupToken.find", setupToken.findSetupToken),
      keep: operation("setupToken.keep", setupToken.keepSetupToken),
      replace: operation("setupToken.replace", setupToken.replaceSetupToken),
      remove: operation("setupToken.remove", setupToken.removeSetupToken),
    },
    users: {
      any: operation("users.any", users.anyUserExists),
      find: operation("users.find", users.findUser),
      findByName: operation("users.findByName", users.findUserByName),
      findActive: operation("users.findActive", users.findActiveUser),
      findActiveByName: operation("users.findActiveByName", users.findActiveUserByName),
      read: operation("users.read", users.listUsers),
      insertFirst: operation("users.insertFirst", users.insertFirstUser),
      insert: operation("users.insert", users.insertUser),
      insertAccount: operation("users.insertAccount", insertAccount),
      rename: operation("users.rename", users.renameUser),
      isNameUsed: operation("users.isNameUsed", users.isNameUsed),
      forgetName: operation("users.forgetName", names.forgetName),
      setGroups: operation("users.setGroups", users.setUserGroups),
      change: operation("users.change", users.changeUser),
      addGroup: operation("users.addGroup", users.addUserGroup),
      remove: operation("users.remove", users.removeUser),
      replaceHash: operation("users.replaceHash", users.replacePasswordHash),
      endSessions: operation("users.endSessions", users.endSessionsOfUser),
      endAllSessions: operations.define("users.endAllSessions", ({ patientDb }, before: number) =>
        users.endAllSessions(patientDb, before),
      ),
    },
    people: {
      list: operation("people.list", listPeople),
      find: operation("people.find", findPerson),
      findUsernames: operation("people.findUsernames", findUsernames),
      count: operation("people.count", countPeople),
      countAdmitted: operation("people.countAdmitted", countAdmitted),
      listGroups: operation("people.listGroups", listGroups),
    },
    sessions: {
      insert: operation("sessions.insert", sessions.insertSession),
      find: operation("sessions.find", sessions.findSession),
      listOf: operation("sessions.listOf", sessions.listSessions),
      noteUsed: operation("sessions.noteUsed", sessions.noteSessionsUsed),
      end: operation("sessions.end", sessions.endSession),
      hasEnded: operation("sessions.hasEnded", users.hasSessionEnded),
      findUser: operation("sessions.findUser", sessions.findSessionUser),
      insertHandoff: operation("sessions.insertHandoff", sessions.insertHandoff),
      takeHandoff: operation("sessions.takeHandoff", sessions.takeHandoff),
    },
    passkeys: {
      any: operation("passkeys.any", passkeys.anyPasskeyExists),
      listOf: operation("passkeys.listOf", passkeys.listPasskeys),
      insert: operation("passkeys.insert", passkeys.insertPasskey),
      rename: operation("passkeys.rename", passkeys.renamePasskey),
      remove: operation("passkeys.remove", passkeys.removePasskey),
      claimChallenge: operation("passkeys.claimChallenge", passkeys.claimChallenge),
      use: operation("passkeys.use", passkeys.notePasskeyUse),
    },
    identities: {
      listOf: operation("identities.listOf", identities.listIdentities),
      findUser: operation("identities.findUser", identities.findIdentityUser),
      insert: operation("identities.insert", identities.insertIdentity),
      noteUse: operation("identities.noteUse", identities.noteIdentityUse),
      remove: operation("identities.remove", identities.removeIdentity),
    },
    codes: {
      any: operation("codes.any", codes.anyCodesExist),
      find: operation("codes.find", codes.findCodes),
      begin: operation("codes.begin", codes.beginCodes),
      turnOn: operation("codes.turnOn", codes.turnOnCodes),
      turnOff: operation("codes.turnOff", codes.turnOffCodes),
      endFactors: operation("codes.endFactors", codes.removeFactors),
      useStep: operation("codes.useStep", codes.useCodeStep),
      useRecovery: operation("codes.useRecovery", codes.useRecoveryCode),
      renewRecovery: operation("codes.renewRecovery", codes.renewRecoveryCodes),
      countWrong: operation("codes.countWrong", codes.countWrongCode),
    },
    devices: {
      insert: operation("devices.insert", codes.insertDevice),
      find: operation("devices.find", codes.findDevice),
      listOf: operation("devices.listOf", codes.listDevices),
      remove: operation("devices.remove", codes.removeDevice),
    },
    links: {
      insert: operation("links.insert", links.insertLink),
      find: operation("links.find", links.findLink),
      read: operation("links.read", links.listLinks),
      use: operation("links.use", links.consumeLink),
      revoke: operation("links.revoke", links.revokeLink),
      removeEnded: operation("links.removeEnded", links.removeEndedLinks),
      findPendingEmail: operation("links.findPendingEmail", links.findPendingEmail),
      confirmEmail: operation("links.confirmEmail", links.confirmEmail),
      endSessions: operation("links.endSessions", links.endSessionsByLink),
    },
    keys: {
      find: operation("keys.find", keys.findKey),
      listOf: operation("keys.listOf", keys.listKeys),
      insert: operation("keys.insert", keys.insertKey),
      remove: operation("keys.remove", keys.removeKey),
      noteUsed: operation("keys.noteUsed", keys.noteKeyUsed),
    },
    apps: {
      list: operation("apps.list", apps.listApps),
      find: operation("apps.find", apps.findApp),
      insert: operation("apps.insert", apps.insertApp),
      change: operation("apps.change", apps.changeApp),
      remove: operation("apps.remove", apps.removeApp),
      listSecrets: operation("apps.listSecrets", apps.listAppSecrets),
      insertSecret: operation("apps.insertSecret", apps.insertAppSecret),
      setSecret: operation("apps.setSecret", apps.setAppSecret),
      removeSecret: operation("apps.removeSecret", apps.removeAppSecret),
      findIcon: operation("apps.findIcon", apps.findAppIcon),
      listIconIds: operation("apps.listIconIds", apps.listAppIconIds),
      setIcon: operation("apps.setIcon", apps.setAppIcon),
      removeIcon: operation("apps.removeIcon", apps.removeAppIcon),
    },
    appUses: {
      note: operation("appUses.note", appUses.noteAppUses),
      noteRefusal: operation("appUses.noteRefusal", appUses.noteAppRefusal),
      listStates: operation("appUses.listStates", appUses.listAppStates),
      listOpened: operation("appUses.listOpened", appUses.listOpenedUses),
      listRefused: operation("appUses.listRefused", appUses.listRefusedUses),
      listDays: operation("appUses.listDays", appUses.listOpenedDays),
    },
    profiles: {
      find: operation("profiles.find", profiles.findProfile),
      set: operation("profiles.set", profiles.setProfile),
      findUserId: operation("profiles.findUserId", profiles.findUserIdByEmail),
      listAdmins: operation("profiles.listAdmins", profiles.listAdminProfiles),
    },
    consents: {
      find: operation("consents.find", consents.findConsent),
      listOf: operation("consents.listOf", consents.listConsents),
      set: operation("consents.set", consents.setConsent),
      remove: operation("consents.remove", consents.removeConsent),
    },
    grants: {
      insert: operation("grants.insert", grants.insertGrant),
      setContent: operation("grants.setContent", grants.setGrantContent),
      findCurrent: operation("grants.findCurrent", grants.findCurrentGrant),
      findAllCurrent: operation("grants.findAllCurrent", grants.findCurrentGrants),
      findOfSession: operation("grants.findOfSession", grants.findGrantOfSession),
      move: operation("grants.move", grants.moveGrants),
      removeExpired: operation("grants.removeExpired", removeExpiredGrants),
      list: operation("grants.list", grants.listGrants),
      listCurrent: operation("grants.listCurrent", grants.listCurrentGrants),
      remove: operation("grants.remove", grants.removeGrants),
    },
    tokens: {
      find: operation("tokens.find", tokens.findToken),
      findByUserCode: operation("tokens.findByUserCode", tokens.findTokenByUserCode),
      set: operation("tokens.set", tokens.setToken),
      consume: operation("tokens.consume", tokens.consumeToken),
      commit: operation("tokens.commit", tokens.commitTokens),
      remove: operation("tokens.remove", tokens.removeToken),
      removeOfGrant: operation("tokens.removeOfGrant", tokens.removeTokensOfGrant),
    },
    signOuts: {
      listOpen: operation("signOuts.listOpen", signOuts.listOpenSignOuts),
      end: operation("signOuts.end", signOuts.endSignOuts),
      claimDue: operation("signOuts.claimDue", signOuts.claimDueSignOuts),
      note: operation("signOuts.note", signOuts.noteSignOut),
      list: operation("signOuts.list", signOuts.listSignOuts),
    },
    signUps: {
      insert: operation("signUps.insert", signUps.insertSignUp),
      isNameAsked: operation("signUps.isNameAsked", signUps.isNameAsked),
      list: operation("signUps.list", signUps.listSignUps),
      approve: operation("signUps.approve", signUps.approveSignUp),
      remove: operation("signUps.remove", signUps.removeSignUp),
      removeExpired: operation("signUps.removeExpired", signUps.removeExpiredSignUps),
    },
    outbox: {
      insert: operation("outbox.insert", outbox.insertDelivery),
      replace: operation("outbox.replace", outbox.replaceDelivery),
      claimDue: operation("outbox.claimDue", outbox.claimDueDeliveries),
      note: operation("outbox.note", outbox.noteDelivery),
      readState: operation("outbox.readState", outbox.readOutboxState),
      removeExpired: operation("outbox.removeExpired", outbox.removeExpiredDeliveries),
    },
    signingKeys: {
      list: operation("signingKeys.list", signingKeys.listSigningKeys),
      insert: operation("signingKeys.insert", signingKeys.insertSigningKeys),
      replace: operation("signingKeys.replace", signingKeys.replaceSigningKeys),
    },
    log: {
      insert: operations.define("log.insert", insertEntries),
      read: operation("log.read", log.listEntries),
      newest: operation("log.newest", log.listNewestEntries),
      hasEarlier: operation("log.hasEarlier", log.hasEarlierEntry),
      prune: operation("log.prune", log.pruneEntries),
      pruneType: operation("log.pruneType", log.pruneEntriesOfType),
    },
  };
}
