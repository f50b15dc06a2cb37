import type { Device, UserId } from "../records.ts";

export interface DeviceStore {
  /** Replaces those of its user that are bound to something else. Removes some expired ones. */
  insert(device: Device): Promise<void>;
  /** By its ID, unless it has expired. */
  find(id: string, now: Date): Promise<Device | undefined>;
  /** Those of a user that have not expired, the newest first. */
  listOf(user: UserId, now: Date, limit: number): Promise<readonly Device[]>;
  /** Returns whether the user had it. */
  remove(user: UserId, id: string): Promise<boolean>;
}
