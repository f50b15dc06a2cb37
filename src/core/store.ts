declare const brand: unique symbol;

/** Given by the store when it inserts the user, and carried in session tokens. */
export type UserId = string & { readonly [brand]: "UserId" };

/** A one-way hash in the text form that its algorithm defines (PHC, or bcrypt's own). */
export type PasswordHash = string & { readonly [brand]: "PasswordHash" };

/** What the rest of an application gets to see of a user: never the hash. */
export interface User {
  readonly id: UserId;
  readonly username: string;
}

export interface StoredUser extends User {
  readonly passwordHash: PasswordHash;
  /**
   * In seconds since 1970: sessions of earlier sign-ins are over. It grows each time sessions are
   * ended. Most users have none.
   */
  readonly sessionsFrom?: number;
}

export interface NewUser {
  readonly username: string;
  readonly passwordHash: PasswordHash;
}

export interface NewLogEntry {
  readonly at: Date;
  readonly type: string;
  readonly summary: string;
  readonly author: string;
}

export interface LogEntry extends NewLogEntry {
  /** Grows with every entry, so that it also tells their order. */
  readonly id: number;
}

/**
 * What the rules need of a database. Every call may fail by throwing; a store that is busy or
 * unreachable throws an `Unavailable`, so that pages can answer 503 instead of 500.
 */
export interface Store {
  hasUsers(): Promise<boolean>;
  findUser(id: UserId): Promise<StoredUser | undefined>;
  /** Exact match: no trimming, no case folding, no normalisation. */
  findUserByUsername(username: string): Promise<StoredUser | undefined>;

  /**
   * Inserts the user only if there is none yet: one atomic step, across every process and machine
   * that shares the database. Of any number of racers one gets the user, the others `undefined`.
   */
  insertFirstUser(user: NewUser): Promise<User | undefined>;

  /**
   * Replaces the hash only while it is still `from`. Answers whether it did, so that of two
   * changes made at the same time neither is silently lost.
   */
  replacePasswordHash(id: UserId, from: PasswordHash, to: PasswordHash): Promise<boolean>;

  /**
   * All of the entries or none of them, in the order given. An entry that is handed over again,
   * after a failure that left open whether it went in, goes in once.
   */
  insertLogEntries(entries: readonly NewLogEntry[]): Promise<void>;

  /** Of stores that are told when a user changes, whichever process did it. */
  watchUsers?(watching: UserWatching): UserWatch;
}

export interface UserWatching {
  /** The monotonic clock by which moments are told. */
  readonly now: () => number;
  /** Called for a user who changed, or for all of them where some change may have been missed. */
  readonly changed: (id: UserId | "all") => void;
}

export interface UserWatch {
  /** The monotonic moment up to which every change has been told. */
  confirmedAt(): number;
  close(): Promise<void>;
}

/** A store whose accounts can be looked after, beyond what the service itself does to them. */
export interface AccountStore extends Store, UserReader {
  /** `undefined` where the username is taken. */
  insertUser(user: NewUser): Promise<User | undefined>;
  /** Whatever the hash was before. */
  setPasswordHash(id: UserId, hash: PasswordHash): Promise<"set" | "missing">;
  renameUser(id: UserId, username: string): Promise<"renamed" | "taken" | "missing">;
  /** One step: of two users that are removed at the same time, one stays. */
  removeUser(id: UserId): Promise<"removed" | "last" | "missing">;
  /** Ends every session that was issued before that second, and answers of how many users. */
  endSessions(of: UserId | "all", before: number): Promise<number>;
}

/** A store as `latchkey log` reads it. Kept apart, since the service itself never reads its log. */
export interface LogReader {
  /** Oldest first. */
  readLogEntries(query: LogQuery): Promise<readonly LogEntry[]>;
  /** The ID that `readLogEntries` has to start after to get the newest `limit` matching entries. */
  startOfNewest(limit: number, filter: LogFilter): Promise<number>;
}

/** A store whose log can be kept from growing for ever. */
export interface LogPruner {
  /** Removes at most `limit` entries from before that time, and answers with how many. */
  pruneLogEntries(before: Date, limit: number): Promise<number>;
}

/** A store that can tell what is in it. */
export interface ContentsReader {
  readContents(): Promise<Contents>;
}

export interface Contents extends ImportPoint {
  readonly users: number;
  readonly entries: number;
}

/** How far an import has come. A store that was read at one such point knows when it has moved on. */
export interface ImportPoint {
  /** What the last batch left here; its meaning is the importer's own. */
  readonly mark: string | undefined;
  /** The highest ID that a log entry has ever been given, or is to be taken for given. */
  readonly lastEntryId: number;
}

/** A store whose users can be read one after the other. */
export interface UserReader {
  /** In the order of their IDs, byte by byte. */
  readUsers(query: UserQuery): Promise<readonly StoredUser[]>;
}

export interface UserQuery {
  /** `""` comes before every ID. */
  readonly afterId: string;
  readonly limit: number;
}

/** A store that takes in rows of another, their IDs unchanged. */
export interface Importer {
  /**
   * All of the batch together with its mark, or nothing: "overtaken" where the store is no longer
   * at the point from which the batch goes on, or has users or entries and no mark.
   */
  importBatch(batch: ImportBatch): Promise<"imported" | "overtaken">;
  /** Names the first of the rows that cannot be stored here, and the reason. */
  problemWith?(rows: ImportRows): string | undefined;
}

export interface ImportRows {
  readonly users: readonly StoredUser[];
  readonly entries: readonly LogEntry[];
}

export interface ImportBatch extends ImportRows {
  readonly from: ImportPoint;
  readonly to: ImportPoint;
  /** `start-over` removes all users and entries first. */
  readonly how: "add" | "start-over";
}

/** A store that takes in users and log entries of another system, beside those that it has. */
export interface Intake extends Pick<Importer, "problemWith"> {
  /** Which of them have a username or an ID that is somebody's already. */
  findTaken(users: readonly User[]): Promise<readonly TakenUser[]>;
  /**
   * All of it in one step: `taken`, and nothing of it, where a username or an ID is somebody's by
   * then. Log entries get their IDs from the store. The rows may be asked for more than once.
   */
  takeIn(rows: () => Iterable<NewRows>): Promise<"taken-in" | "taken">;
}

export interface TakenUser {
  readonly id: UserId;
  readonly taken: "username" | "id";
}

export interface NewRows {
  readonly users: readonly StoredUser[];
  readonly entries: readonly NewLogEntry[];
}

export interface LogFilter {
  readonly type?: string | undefined;
  readonly since?: Date | undefined;
}

export interface LogQuery extends LogFilter {
  readonly afterId: number;
  readonly limit: number;
}
