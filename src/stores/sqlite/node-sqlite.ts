/** The module `node:sqlite`. An import of it fails on old versions of Node before they are named. */
export const sqlite: typeof import("node:sqlite") = process.getBuiltinModule("node:sqlite");
