import { join } from "node:path";

/** The cost of a hash is a part of what these test. In all others it is the least that argon2 can. */
const REAL_HASHES =
  /^test\/(timing|identity\/passwords|identity\/password-cost|features\/sign-in\/sign-in|cli\/transfer\/import-sign-in|gate\/metrics\/metrics-sign-in|spec\/errors-faults|http\/hash-fairness)/;

export const hasRealHashes = (file: string): boolean => REAL_HASHES.test(file);

/** The flags for Node that start a test file of this copy of the project. */
export const hashFlags = (file: string, root: string): readonly string[] =>
  hasRealHashes(file) ? [] : [`--import=${join(root, "test/support/cheap-hashes.ts")}`];
