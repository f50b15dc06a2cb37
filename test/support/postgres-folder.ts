import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdtemp, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Account } from "./postgres-binaries.ts";
import { ENVIRONMENT } from "./postgres-run.ts";

/**
 * Outlives the process that started it. When the pipe closes, it ends the server with the last PID
 * from the pipe, also a suspended one, and removes the folder.
 */
const GUARDIAN = `
server=
while read -r line; do server=$line; done
if [ -n "$server" ]; then
  kill -CONT "$server" $(cat "/proc/$server/task/$server/children")
  kill -QUIT "$server"
  for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$server" && sleep 0.1; done
fi
rm -rf "$1"
`;

export interface GuardedFolder {
  readonly path: string;
  /** Ends this process when the folder is removed; `undefined` for no process. */
  guard(pid: number | undefined): void;
  remove(): Promise<void>;
}

/** `memory` only where there is enough of it. */
export type Medium = "disk" | "memory";

/** A folder of the account, removed by `remove()` or when this process ends, even if killed. */
export async function guardedFolder(
  account: Account,
  medium: Medium = "disk",
): Promise<GuardedFolder> {
  const path = await mkdtemp(join(await baseFor(account, medium), "latchkey-pg-"));
  if (account.uid !== undefined && account.gid !== undefined) {
    await chown(path, account.uid, account.gid);
  }
  await chmod(path, 0o700);
  const guardian = spawn("sh", ["-c", GUARDIAN, "guardian", path], {
    cwd: "/",
    env: ENVIRONMENT,
    // In its own session, which Ctrl-C in the terminal does not reach. Not as the account,
    // which could not remove what root copied into the folder.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const gone = once(guardian, "exit");
  guardian.unref();
  guardian.stdin.on("error", () => undefined);
  return {
    path,
    guard(pid) {
      if (guardian.stdin.writable) guardian.stdin.write(`${pid ?? ""}\n`);
    },
    async remove() {
      guardian.ref();
      guardian.stdin.end();
      await gone;
    },
  };
}

/** Memory, where a new database takes a fifth of the time, if it has room for a whole run. */
const MEMORY = "/dev/shm";
const ROOM_BYTES = 6 * 1024 ** 3;

async function baseFor({ uid }: Account, medium: Medium): Promise<string> {
  const memory = medium === "disk" ? undefined : await statfs(MEMORY).catch(() => undefined);
  if (memory !== undefined && memory.bavail * memory.bsize > ROOM_BYTES) return MEMORY;
  // The account could not enter a TMPDIR that belongs to root.
  return uid === undefined ? tmpdir() : "/tmp";
}
