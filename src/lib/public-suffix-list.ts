import { createRequire } from "node:module";

// The name must be `require`: tools that copy the files of an app to its server find the package by
// it.
const require = createRequire(import.meta.url);

/**
 * Loads the list on use, since it takes 8 ms and 9 MB and most installations share no domain. Uses
 * `require`, since options are checked before anything can wait. `scripts/release/executable.ts`
 * replaces this file in the executable, which contains the list.
 */
export const loadSuffixList = (): typeof import("tldts") => require("tldts");
