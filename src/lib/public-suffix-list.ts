import { createRequire } from "node:module";

// Under this name, the tools that copy the files of an app for its server find the package.
const require = createRequire(import.meta.url);

/**
 * Loaded on use, because the list takes 8 ms and 9 MB and most installations share no domain. With
 * `require`, because options and settings are checked before anything can wait. The executable
 * contains the list: `release-tools/executable.ts` replaces this file.
 */
export const loadSuffixList = (): typeof import("tldts") => require("tldts");
