import { isLoopbackHost } from "../core/loopback.ts";
import type { Settings } from "./settings/settings.ts";

/** Whether others than the users of this machine reach the gate, as far as the settings tell. */
export function reachOf(
  { host, publicUrl, trustedProxies }: Settings,
  url?: URL,
): "this-machine" | "others" {
  const urls = [publicUrl === undefined ? undefined : new URL(publicUrl), url];
  const hosts = [host, ...urls.flatMap((one) => one?.hostname ?? [])];
  return trustedProxies.length === 0 && hosts.every(isLoopbackHost) ? "this-machine" : "others";
}
