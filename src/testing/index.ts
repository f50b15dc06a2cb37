/**
 * Tests of a store for `node:test`. Call `testStore` in a test file of your store, `testLogReader` if
 * it can also read its audit log, `testAccounts` if it supports the account commands, and
 * `testSessions` if it keeps sessions.
 */
export type { AccountStore } from "../core/accounts/account-store.ts";
export type { LogEntry, LogFilter, LogQuery, LogReader } from "../core/log/log-reader.ts";
export type { SessionStore } from "../core/sessions/session-store.ts";
export { testAccounts } from "./account-suite.ts";
export type { Database, Open } from "./database.ts";
export { testLogReader } from "./log-rules.ts";
export { testSessions } from "./session-suite.ts";
export { testStore } from "./store-suite.ts";
