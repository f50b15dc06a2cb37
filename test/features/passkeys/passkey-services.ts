import type { TestContext } from "node:test";
import type { Passkey, StoredUser, UserId } from "../../../src/db/records.ts";
import { type Challenges, createChallenges } from "../../../src/features/passkeys/challenges.ts";
import { addPasskey } from "../../../src/features/passkeys/manage-passkeys.ts";
import { type Authenticator, createAuthenticator, PARTY } from "../../support/authenticator.ts";
import { type CoreServices, createCoreServices } from "../../support/core-services.ts";
import { SECRET } from "../../support/gate.ts";

export const CLIENT = { remoteAddress: "192.0.2.1" } as const;
/** From where a passkey is added. */
export const FROM: Parameters<typeof addPasskey>[3] = { party: PARTY, client: CLIENT };

export interface TestPasskeyServices extends CoreServices {
  readonly challenges: Challenges;
}

export interface Owner {
  readonly ports: TestPasskeyServices;
  readonly owner: StoredUser;
  passkeys(): Promise<readonly Passkey[]>;
}

/** The ports of the rules with one account, which has no passkey. */
export async function ownerWithoutPasskey(t: TestContext): Promise<Owner> {
  const core = await createCoreServices(t);
  const ports = { ...core, challenges: createChallenges([SECRET], core.clock) };
  const owner = await ports.insertOwner();
  const passkeys = () => ports.store.passkeys.listOf(owner.id);
  return { ports, owner, passkeys };
}

/** Adds a passkey to the account, and returns it. */
export async function added(ports: TestPasskeyServices, userId: UserId): Promise<Authenticator> {
  const passkey = createAuthenticator();
  const answer = passkey.create(ports.challenges.issue({ addTo: userId }));
  const outcome = await addPasskey(ports, userId, answer, FROM);
  if (outcome !== "added") throw new Error(`the passkey was ${outcome}`);
  return passkey;
}

export async function ownerWithPasskey(
  t: TestContext,
): Promise<Owner & { readonly passkey: Authenticator }> {
  const owner = await ownerWithoutPasskey(t);
  return { ...owner, passkey: await added(owner.ports, owner.owner.id) };
}
