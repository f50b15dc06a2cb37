import type { SignOut } from "../../src/db/records.ts";
import { createAppDirectory } from "../../src/features/apps/app-directory.ts";
import { sendDue } from "../../src/features/oidc/sign-out-queue.ts";
import { askWithToken } from "./actions/app-sign-ins.ts";
import { ISSUER, type Life, START, signingKeys } from "./gate.ts";
import { findReason, hasExpired, isValid, type KnownGrant } from "./model/apps.ts";
import { promise } from "./model/violation.ts";
import type { World } from "./world.ts";

/** The gates look for ends every two seconds. */
const NOTED_MS = 10_000;
/** The last of the pauses between two requests to an app is shorter. */
const DAY_MS = 86_400_000;
const MAX_SIGN_OUTS = 10_000;

/** Every gate agrees on every token, and every end has reached the app that wants to know. */
export async function finishApps(world: World, lives: readonly Life[]): Promise<void> {
  for (const { tokens } of world.grants)
    for (const token of tokens.filter(({ kind }) => kind === "AccessToken").slice(-1))
      for (const life of lives) await askWithToken(world, life, token);
  await sendWaiting(world);
  for (const app of world.apps) {
    if (app.backchannelUrl === undefined) continue;
    const told = await world.base.signOuts.list({ appId: app.id }, MAX_SIGN_OUTS);
    for (const grant of world.grants) if (grant.app === app) compare(world, lives, grant, told);
    for (const { sid } of told) {
      const ends = told.filter((one) => one.sid === sid && one.acknowledgedAt !== undefined);
      const acknowledged = app.acknowledged.filter((one) => one.sid === sid);
      promise(acknowledged.length >= ends.length, `${app.id} was told less often than noted`);
    }
  }
}

/** What an app did not take waits for minutes or hours, which pass here at once. */
async function sendWaiting({ base: store, time, tellApp }: World): Promise<void> {
  const services = {
    store,
    clock: { now: () => Math.floor(START + time.now() + DAY_MS) },
    appDirectory: createAppDirectory(store.apps, { monotonic: time.now }),
    log: { warn: () => {}, error: () => {} },
    issuer: ISSUER,
    readKeys: async () => signingKeys,
    send: tellApp,
  };
  await sendDue(services, new AbortController().signal);
}

function compare(
  { time }: World,
  lives: readonly Life[],
  grant: KnownGrant,
  told: readonly SignOut[],
): void {
  const { id, label, app, issuedAt } = grant;
  const reasons = lives.map((life) =>
    hasExpired(grant, life, NOTED_MS) ? "its time is over" : findReason(grant, life, NOTED_MS),
  );
  const [reason] = reasons;
  const isOver = reasons.every((one) => one !== undefined);
  const end = told.find((one) => one.id === id);
  // What the app learned before it signed the person in again does not count.
  const isLearned =
    end !== undefined && app.acknowledged.some(({ sid, at }) => sid === end.sid && at >= issuedAt);
  const isTold = end?.acknowledgedAt !== undefined && isLearned;
  promise(!isOver || isTold, `${app.id} never learns the end of ${label}: ${reason}`);
  promise(end === undefined || !isValid(grant, time.now()), `${label} is valid, and was ended`);
}
