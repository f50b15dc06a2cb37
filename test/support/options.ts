import { type Auth, createSettledAuth } from "../../src/auth.ts";
import type { AuthOptions } from "../../src/index.ts";
import { type GateOptions, NO_GATE } from "../../src/options.ts";
import { settleOptions } from "../../src/settle-options.ts";
import { SECRET } from "./gate.ts";
import { recordingLog } from "./recording-log.ts";

/** A placeholder: checking options does not use the store, which an Auth object only observes. */
const NO_STORE = { users: {}, log: {}, observe: () => () => {} } as unknown as AuthOptions["store"];

export const optionsWith = (options: Partial<AuthOptions> = {}): AuthOptions => ({
  store: NO_STORE,
  secret: SECRET,
  log: recordingLog(),
  ...options,
});

/** The options of an app, and parts of the gate. */
export type AppOptions = Partial<AuthOptions & GateOptions>;

/** As `createAuth`, also with parts of the gate. */
export function authWith(all: AppOptions): Auth {
  const { standalone, meter, ...others } = { ...NO_GATE, ...all };
  const { returnDomains, requireSecondFactor, assertions, apps, notify, ...options } = others;
  const gate = { standalone, meter, returnDomains, requireSecondFactor, assertions, apps, notify };
  return createSettledAuth(settleOptions(optionsWith(options)), gate);
}
