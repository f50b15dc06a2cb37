import type { Device, StoredUser, User, UserId } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import { type Client, clientFacts } from "../base/client.ts";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/fault.ts";
import { hashOf, randomText } from "../base/random-text.ts";
import type { ServerLog } from "../base/server-log.ts";
import type { EventLog } from "../log/event-log.ts";
import { eventOf } from "../log/events.ts";
import type { Seals } from "../sessions/seals.ts";
import { type CodeHolder, purposeOf } from "./check-code.ts";

/** Thirty days, which the sign-in page says. */
export const DEVICE_LIFETIME_SECONDS = 2_592_000;
const MAX_LISTED = 50;

interface DeviceHolder extends CodeHolder {
  readonly user: StoredUser;
}

/**
 * How the account signs in: a new password, the end of all sessions, other codes and new recovery
 * codes each change it, so nothing has to remove the device. `undefined` without readable codes.
 */
function bindingOf(seals: Seals, { user, codes }: DeviceHolder): string | undefined {
  const secret = codes && seals.open(codes.secret, purposeOf(user.id));
  if (codes === undefined || secret === undefined) return undefined;
  const { id, passwordHash, sessionsFrom = 0 } = user;
  const parts = [id, passwordHash, sessionsFrom, secret.toString("base64"), codes.renewals ?? 0];
  return hashOf(JSON.stringify(parts));
}

/** Whether the account, whose password was right, needs no code on this device. */
export function isRemembered(
  { seals }: { readonly seals: Seals },
  holder: DeviceHolder,
  device: Device | undefined,
): boolean {
  return device?.userId === holder.user.id && device.boundTo === bindingOf(seals, holder);
}

export interface RememberDevicePorts {
  readonly store: Pick<StoreParts, "devices">;
  readonly seals: Seals;
  readonly clock: Pick<Clock, "now">;
  readonly events: Pick<EventLog, "record">;
  readonly log: ServerLog;
}

/**
 * Remembers the device of a sign-in with a code, and returns the text of its cookie. If that fails,
 * the next sign-in asks for a code again.
 */
export async function rememberDevice(
  { store: { devices }, seals, clock, events, log }: RememberDevicePorts,
  holder: DeviceHolder,
  client: Client,
): Promise<string | undefined> {
  const boundTo = bindingOf(seals, holder);
  if (boundTo === undefined) return undefined;
  const { user } = holder;
  const text = randomText();
  const createdAt = new Date(clock.now());
  const expiresAt = new Date(clock.now() + DEVICE_LIFETIME_SECONDS * 1_000);
  const { device } = clientFacts(client);
  try {
    const id = hashOf(text);
    await devices.insert({ id, userId: user.id, createdAt, expiresAt, device, boundTo });
  } catch (error) {
    log.warn({ userId: user.id, reason: messageOf(error) }, "a device was not remembered");
    return undefined;
  }
  events.record(eventOf("device_add", { user, client }));
  return text;
}

interface FindDevicesPorts {
  readonly store: Pick<StoreParts, "users" | "codes" | "devices">;
  readonly seals: Seals;
  readonly clock: Pick<Clock, "now">;
}

/**
 * The devices on which the user needs no code, the newest first. If none of the secrets opens the
 * codes, those that may count with another one.
 */
export async function listDevices(
  { store, seals, clock }: FindDevicesPorts,
  userId: UserId,
): Promise<readonly Device[]> {
  // Asked first: without codes, as most accounts are, no device counts.
  const codes = await store.codes.find(userId);
  if (codes === undefined) return [];
  const [user, all] = await Promise.all([
    store.users.find(userId),
    store.devices.listOf(userId, new Date(clock.now()), MAX_LISTED),
  ]);
  if (user === undefined) return [];
  const boundTo = bindingOf(seals, { user, codes });
  return all.filter((one) => boundTo === undefined || one.boundTo === boundTo);
}

interface ForgetDevicePorts {
  readonly store: Pick<StoreParts, "devices">;
  readonly events: Pick<EventLog, "record">;
}

/** A device of another user is `no-device`, like an unknown one. */
export async function forgetDevice(
  { store, events }: ForgetDevicePorts,
  user: User,
  id: string,
  client: Client,
): Promise<"no-device" | "forgotten"> {
  if (!(await store.devices.remove(user.id, id))) return "no-device";
  events.record(eventOf("device_remove", { user, client }));
  return "forgotten";
}
