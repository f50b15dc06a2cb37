import type { TestContext } from "node:test";
import type { Codes, StoredUser } from "../../../src/db/records.ts";
import { beginCodes, confirmCodes } from "../../../src/features/codes/manage-codes.ts";
import { computeCode, getStep } from "../../../src/features/codes/totp.ts";
import { type CoreServices, createCoreServices } from "../../support/core-services.ts";
import { decodeBase32 } from "../../support/one-time-codes.ts";

export const CLIENT = { remoteAddress: "192.0.2.1" } as const;
export const STEP_MS = 30_000;

export interface CodesScene {
  readonly ports: CoreServices;
  readonly user: StoredUser;
  readonly secret: Buffer;
  readonly recoveryCodes: readonly string[];
  /** The codes of the account as the store has them now. */
  codes(): Promise<Codes | undefined>;
  /** What the app shows now, or some steps later. */
  code(steps?: number): string;
}

/** An account that turned codes on a step ago: `code(-1)`, which confirmed it, is used up. */
export async function withCodes(t: TestContext, file?: string): Promise<CodesScene> {
  const ports = await createCoreServices(t, file);
  const user = await ports.insertOwner();
  const outcome = await beginCodes(ports, user.id);
  if (outcome.kind !== "begun") throw new Error(outcome.kind);
  const { sealed } = outcome.begun;
  const secret = decodeBase32(outcome.begun.secret);
  const code = (steps = 0): string => computeCode(secret, getStep(ports.clock.now()) + steps);
  const confirmed = await confirmCodes(ports, user.id, { sealed, code: code() }, CLIENT);
  if (confirmed.kind !== "on") throw new Error(confirmed.kind);
  ports.clock.advance(STEP_MS);
  const { recoveryCodes } = confirmed;
  return { ports, user, secret, recoveryCodes, code, codes: () => ports.store.codes.find(user.id) };
}
