import {
  askWithAnyToken,
  signInToApp,
  takeAccessBack,
  useAnyToken,
} from "./actions/app-sign-ins.ts";
import { addAnyApp, regroupAnyApp, removeAnyApp } from "./actions/apps.ts";
import { beginCodes, turnOffCodes } from "./actions/codes.ts";
import { forgetAnyDevice, signInOnDevice } from "./actions/devices.ts";
import { flood } from "./actions/floods.ts";
import { handOver } from "./actions/handoffs.ts";
import { addKeyOfMember, revokeAnyKey, visitWithAnyKey } from "./actions/keys.ts";
import { makeAnyLink, revokeAnyLink, useAnyLink } from "./actions/links.ts";
import {
  addMember,
  regroupMember,
  removeMember,
  setPasswordOfMember,
  signInAsMember,
  visitAsMember,
} from "./actions/members.ts";
import { addPasskey, removePasskey, signInWithPasskey } from "./actions/passkeys.ts";
import { changePassword, setUp, signIn } from "./actions/passwords.ts";
import { endOthers, endSession, signOut } from "./actions/sessions.ts";
import { type Action, visit } from "./actions/step.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

const ADDRESSES = 3;

type WeightedAction = readonly [name: string, weight: number, action: Action];

const SET_UP: WeightedAction = ["sets up", 1, setUp];
const actions: readonly WeightedAction[] = [
  ["visits", 16, async (world, step) => (await visit(world, step)).outcome],
  ["signs in", 8, signIn],
  SET_UP,
  ["changes the password", 8, changePassword],
  ["ends a session", 3, endSession],
  ["ends all others", 4, endOthers],
  ["signs out", 3, signOut],
  ["hands a session over", 4, handOver],
  ["adds a passkey", 3, addPasskey],
  ["removes a passkey", 1, removePasskey],
  ["signs in with a passkey", 6, signInWithPasskey],
  ["turns codes on", 3, beginCodes],
  ["turns codes off", 1, turnOffCodes],
  ["signs in on a device", 6, signInOnDevice],
  ["forgets a device", 3, forgetAnyDevice],
  ["floods the queue of the hashes", 1, flood],
  ["adds a member", 3, addMember],
  ["signs in as a member", 5, signInAsMember],
  ["visits as a member", 8, visitAsMember],
  ["regroups a member", 3, regroupMember],
  ["sets a password", 2, setPasswordOfMember],
  ["removes a member", 2, removeMember],
  ["makes a link", 3, makeAnyLink],
  ["uses a link", 6, useAnyLink],
  ["revokes a link", 1, revokeAnyLink],
  ["adds a key", 3, addKeyOfMember],
  ["visits with a key", 6, visitWithAnyKey],
  ["revokes a key", 2, revokeAnyKey],
];

const appActions: readonly WeightedAction[] = [
  ["adds an app", 4, addAnyApp],
  ["changes the groups of an app", 6, regroupAnyApp],
  ["removes an app", 1, removeAnyApp],
  ["signs in to an app", 12, signInToApp],
  ["uses a code or refresh token", 6, useAnyToken],
  ["asks who the person is", 12, askWithAnyToken],
  ["takes the access of an app back", 2, takeAccessBack],
];

/** In these simulations, most of what happens concerns apps. */
const ABOUT_APPS = 0.6;

/** Does one thing that people do, at any gate that runs. */
export async function act(world: World, name: string): Promise<void> {
  const { random, gates, isConfigured } = world;
  const gate = random.pick(gates);
  if (gate?.life === undefined) return;
  // Names the client and the gate in the audit log.
  const userAgent = `${name}-${gate.name}`.replaceAll(" ", "-");
  const client = { remoteAddress: `192.0.2.${random.below(ADDRESSES)}`, userAgent };
  const isAboutApps = world.isAboutApps && random.chance(ABOUT_APPS);
  const chosen = choose(isAboutApps ? appActions : actions, random);
  const [what, , action] = isConfigured || random.chance(0.5) ? chosen : SET_UP;
  const outcome = await action(world, { gate, life: gate.life, client });
  world.note(`${name} ${what} at ${gate.name}: ${outcome}`);
}

function choose(among: readonly WeightedAction[], random: Random): WeightedAction {
  let at = random.below(among.reduce((sum, [, weight]) => sum + weight, 0));
  const chosen = among.find(([, weight]) => {
    at -= weight;
    return at < 0;
  });
  return chosen ?? SET_UP;
}
