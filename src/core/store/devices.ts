import type { Device, UserId } from "../records.ts";

export interface DeviceStore {
  /** Removes those of its user that are bound to something else, and some that expired before. */
  insert(device: Device): Promise<void>;
  /** Those below have not expired. */
  find(id: string, now: Date): Promise<Device | undefined>;
  /** The newest first. */
  listOf(user: UserId, now: Date, limit: number): Promise<readonly Device[]>;
  /** Returns whether the user had it. */
  remove(user: UserId, id: string): Promise<boolean>;
}
