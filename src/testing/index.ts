/**
 * What any store has to do, as tests for `node:test`. Call `testStore` in a test file of the store,
 * `testLogReader` where the store can also read its log, and `testAccounts` where its accounts can
 * be looked after.
 */
export type { AccountStore } from "../core/accounts/account-store.ts";
export type { LogEntry, LogFilter, LogQuery, LogReader } from "../core/log-reader.ts";
export { testAccounts } from "./account-suite.ts";
export type { Database, Open } from "./database.ts";
export { testLogReader } from "./log-rules.ts";
export { testStore } from "./store-suite.ts";
