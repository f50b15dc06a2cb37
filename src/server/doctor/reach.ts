import { isLoopbackHost } from "../../core/loopback.ts";
import type { Patient } from "./patient.ts";

/** Whether others than the users of this machine get to the gate, as far as the settings tell. */
export function reachOf({ settings, url }: Patient): "this-machine" | "others" {
  const hosts = [
    settings.host,
    ...(settings.publicUrl === undefined ? [] : [new URL(settings.publicUrl).hostname]),
    ...(url === undefined ? [] : [url.hostname]),
  ];
  return hosts.every(isLoopbackHost) ? "this-machine" : "others";
}
