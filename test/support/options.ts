import type { AuthOptions } from "../../src/index.ts";
import { SECRET } from "./gate.ts";
import { recordingLog } from "./recording-log.ts";

/** No store is ever asked while options are looked at. */
const NO_STORE = {} as AuthOptions["store"];

export const optionsWith = (options: Partial<AuthOptions> = {}): AuthOptions => ({
  store: NO_STORE,
  secret: SECRET,
  log: recordingLog(),
  ...options,
});
