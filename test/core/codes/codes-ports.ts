import type { TestContext } from "node:test";
import { codeOf, stepAt } from "../../../src/core/codes/totp.ts";
import type { TurnOffCodesPorts } from "../../../src/core/codes/turn-off-codes.ts";
import { beginCodes, confirmCodes } from "../../../src/core/codes/turn-on-codes.ts";
import { createUserMemory, type UserMemory } from "../../../src/core/sessions/user-memory.ts";
import type { StoredUser } from "../../../src/core/store.ts";
import { type CorePorts, corePorts } from "../../support/core-ports.ts";
import { OWNER } from "../../support/gate.ts";
import { decodeBase32 } from "../../support/one-time-codes.ts";

export const CLIENT = { remoteAddress: "192.0.2.1" } as const;
export const STEP_MS = 30_000;

export interface CodesScene {
  readonly ports: CorePorts & TurnOffCodesPorts;
  readonly secret: Buffer;
  readonly recoveryCodes: readonly string[];
  /** The owner as the store has it now. */
  owner(): Promise<StoredUser>;
  /** What the app shows now, or some steps later. */
  code(steps?: number): string;
}

/** The users of a process whose store reports no changes. */
export function unwatchedUsers({ store, clock }: CorePorts): UserMemory {
  const { watchUsers: _watchUsers, ...unwatched } = store;
  return createUserMemory(unwatched, clock);
}

/** An account that turned codes on a step ago: `code(-1)`, which confirmed it, is used up. */
export async function withCodes(t: TestContext, file?: string): Promise<CodesScene> {
  const ports = await corePorts(t, file);
  const { id } = await ports.insertOwner();
  const outcome = await beginCodes(ports, id, OWNER.password, CLIENT);
  if (outcome.kind !== "begun") throw new Error(outcome.kind);
  const secret = decodeBase32(outcome.begun.secret);
  const code = (steps = 0): string => codeOf(secret, stepAt(ports.clock.now()) + steps);
  const confirmed = await confirmCodes(ports, id, outcome.begun.sealed, code());
  if (confirmed.kind !== "on") throw new Error(confirmed.kind);
  ports.clock.advance(STEP_MS);
  return {
    ports,
    secret,
    recoveryCodes: confirmed.recoveryCodes,
    code,
    async owner() {
      const owner = await ports.store.findUser(id);
      if (owner === undefined) throw new Error("the owner is gone");
      return owner;
    },
  };
}
