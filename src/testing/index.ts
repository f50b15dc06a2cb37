/**
 * For tests: `signInAs` for apps, with any test runner, and `testStore` for stores, with `node:test`,
 * to which you pass the parts that your store has.
 */
export type { Database, Open } from "./database.ts";
export { signInAs } from "./sign-in-as.ts";
export { type Part, testStore } from "./store-suite.ts";
