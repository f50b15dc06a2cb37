import { once } from "node:events";
import * as net from "node:net";
import * as tls from "node:tls";
import { findNotifyTarget } from "../gate/settings/settings.ts";
import { getErrorReason } from "../lib/fault.ts";
import { type Check, createCheck, ok, problem } from "./check.ts";

/**
 * Connects to the host of `NOTIFY_URL`, and sends nothing: whatever a webhook gets, it may take for
 * an event.
 */
export const checkNotify: Check = createCheck(
  "notices",
  ["notifyUrl", "notifySecret"],
  async ({ settings }) => {
    const target = findNotifyTarget(settings);
    if (target === undefined) return undefined;
    try {
      await connectTo(new URL(target.url));
    } catch (error) {
      return problem(
        `${target.host} of NOTIFY_URL cannot be reached: ${getErrorReason(error)}`,
        "check NOTIFY_URL, and that this machine reaches the host",
      );
    }
    return ok(`${target.host} of NOTIFY_URL can be reached (latchkey notify test sends a notice)`);
  },
);

/** Connects, and checks the certificate of HTTPS. */
async function connectTo({ protocol, hostname, port }: URL): Promise<void> {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const isPlain = protocol === "http:";
  const at = { host, port: Number(port) || (isPlain ? 80 : 443) };
  const socket = isPlain
    ? net.connect(at)
    : tls.connect({ ...at, ...(net.isIP(host) === 0 && { servername: host }) });
  try {
    await once(socket, isPlain ? "connect" : "secureConnect");
  } finally {
    socket.destroy();
  }
}
