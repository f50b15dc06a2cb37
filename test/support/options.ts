import type { AuthOptions } from "../../src/index.ts";
import { SECRET } from "./gate.ts";
import { recordingLog } from "./recording-log.ts";

/** A placeholder: checking options does not use the store. */
const NO_STORE = {} as AuthOptions["store"];

export const optionsWith = (options: Partial<AuthOptions> = {}): AuthOptions => ({
  store: NO_STORE,
  secret: SECRET,
  log: recordingLog(),
  ...options,
});
