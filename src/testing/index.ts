/**
 * Tests of a store for `node:test`. Call `testStore` in a test file of your store, with the parts
 * that it has.
 */
export type { Database, Open } from "./database.ts";
export { type Part, testStore } from "./store-suite.ts";
