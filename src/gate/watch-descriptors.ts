import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { codeOf } from "../core/base/fault.ts";
import type { ServerLog } from "../core/base/server-log.ts";
import { type Polling, poll } from "./poll.ts";

const CHECK_EVERY_MS = 1_000;

/**
 * Logs when the process runs out of file descriptors, and when some are free again. Node.js reports
 * no connection that it closes for lack of one, so this tries to open a file.
 */
export function watchDescriptors(log: ServerLog): Polling {
  let wereFree = true;
  return poll(async () => {
    const areFree = hasFreeDescriptor();
    if (areFree === wereFree) return;
    wereFree = areFree;
    if (areFree) log.warn({}, "file descriptors are free again");
    else log.warn({}, "no file descriptor is free: new connections are closed unanswered");
  }, CHECK_EVERY_MS);
}

function hasFreeDescriptor(): boolean {
  try {
    closeSync(openSync(devNull, "r"));
    return true;
  } catch (error) {
    return !["EMFILE", "ENFILE"].includes(codeOf(error) ?? "");
  }
}
