/** This module is for tests of apps, with any test runner. */
export { signInAs } from "./sign-in-as.ts";
