import { createRequire } from "node:module";

/**
 * Loaded on use, because the list takes 7 ms and 7 MB and most installations share no domain.
 * `require`, because options and settings are checked before anything can wait. The executable
 * contains the list: `release-tools/executable.ts` replaces this file.
 */
export const loadSuffixList = (): typeof import("tldts") => createRequire(import.meta.url)("tldts");
