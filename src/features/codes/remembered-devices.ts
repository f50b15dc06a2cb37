import type { EventLog } from "../../audit/event-log.ts";
import { createAuditEvent } from "../../audit/events.ts";
import type { Device, StoredUser, User, UserId } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { Seals } from "../../identity/seals.ts";
import { type Client, describeClient } from "../../lib/client.ts";
import type { Clock } from "../../lib/clock.ts";
import { getErrorMessage } from "../../lib/fault.ts";
import { createRandomText, digestText } from "../../lib/random-text.ts";
import type { ServerLog } from "../../lib/server-log.ts";
import { type CodeHolder, getCodesPurpose } from "./check-code.ts";

/** This is 30 days, as the sign-in page says. */
export const DEVICE_LIFETIME_SECONDS = 2_592_000;
const MAX_LISTED = 50;

interface DeviceHolder extends CodeHolder {
  readonly user: StoredUser;
}

/**
 * Digests how the account signs in. A new password, the end of all sessions, other codes and new
 * recovery codes each change the digest, so remembered devices need no removal. Returns `undefined`
 * without readable codes.
 */
function computeBinding(seals: Seals, { user, codes }: DeviceHolder): string | undefined {
  const secret = codes && seals.open(codes.secret, getCodesPurpose(user.id));
  if (codes === undefined || secret === undefined) return undefined;
  const { id, passwordHash, sessionsFrom = 0 } = user;
  const fields = [id, passwordHash, sessionsFrom, secret.toString("base64"), codes.renewals ?? 0];
  return digestText(JSON.stringify(fields));
}

/** Returns whether the account needs no code on this device. The password must have been right. */
export function isRemembered(
  { seals }: { readonly seals: Seals },
  holder: DeviceHolder,
  device: Device | undefined,
): boolean {
  return device?.userId === holder.user.id && device.boundTo === computeBinding(seals, holder);
}

export interface RememberDeviceServices {
  readonly store: Pick<StoreParts, "devices">;
  readonly seals: Seals;
  readonly clock: Pick<Clock, "now">;
  readonly events: Pick<EventLog, "record">;
  readonly log: ServerLog;
}

/**
 * Remembers the device of a sign-in with a code, and returns the text of its cookie. If this fails,
 * the next sign-in asks for a code again.
 */
export async function rememberDevice(
  { store: { devices }, seals, clock, events, log }: RememberDeviceServices,
  holder: DeviceHolder,
  client: Client,
): Promise<string | undefined> {
  const boundTo = computeBinding(seals, holder);
  if (boundTo === undefined) return undefined;
  const { user } = holder;
  const text = createRandomText();
  const createdAt = new Date(clock.now());
  const expiresAt = new Date(clock.now() + DEVICE_LIFETIME_SECONDS * 1_000);
  const { device } = describeClient(client);
  try {
    const id = digestText(text);
    await devices.insert({ id, userId: user.id, createdAt, expiresAt, device, boundTo });
  } catch (error) {
    log.warn({ userId: user.id, reason: getErrorMessage(error) }, "a device was not remembered");
    return undefined;
  }
  events.record(createAuditEvent("device_add", { user, client }));
  return text;
}

interface ListDevicesServices {
  readonly store: Pick<StoreParts, "users" | "codes" | "devices">;
  readonly seals: Seals;
  readonly clock: Pick<Clock, "now">;
}

/**
 * Lists the devices on which the user needs no code, the newest first. If no secret opens the
 * codes, lists all devices, because they may be valid with another secret.
 */
export async function listDevices(
  { store, seals, clock }: ListDevicesServices,
  userId: UserId,
): Promise<readonly Device[]> {
  // The codes are queried first, because most accounts have none, and then no device counts.
  const codes = await store.codes.find(userId);
  if (codes === undefined) return [];
  const [user, all] = await Promise.all([
    store.users.find(userId),
    store.devices.listOf(userId, new Date(clock.now()), MAX_LISTED),
  ]);
  if (user === undefined) return [];
  const boundTo = computeBinding(seals, { user, codes });
  return all.filter((device) => boundTo === undefined || device.boundTo === boundTo);
}

interface ForgetDeviceServices {
  readonly store: Pick<StoreParts, "devices">;
  readonly events: Pick<EventLog, "record">;
}

/** Forgets a device. A device of another user returns `no-device`, like an unknown device. */
export async function forgetDevice(
  { store, events }: ForgetDeviceServices,
  user: User,
  id: string,
  client: Client,
): Promise<"no-device" | "forgotten"> {
  if (!(await store.devices.remove(user.id, id))) return "no-device";
  events.record(createAuditEvent("device_remove", { user, client }));
  return "forgotten";
}
