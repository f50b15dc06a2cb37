import type { UserId } from "../records.ts";

/** Reports changed users, and users whose sessions or keys have ended, also by another process. */
export interface UserChanges {
  watch(watching: UserWatching): UserWatch;
}

export interface UserWatching {
  /** The clock of `UserWatch.confirmedAt`. */
  readonly monotonic: () => number;
  /** Called for a changed user, or with `all` when the store may have missed a change. */
  readonly changed: (id: UserId | "all") => void;
}

export interface UserWatch {
  /** The monotonic time up to which every change has been reported. */
  confirmedAt(): number;
  close(): Promise<void>;
}
