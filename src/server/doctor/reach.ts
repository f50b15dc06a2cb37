import { membershipOf } from "../../web/remote-address.ts";
import type { Patient } from "./patient.ts";

const isLoopbackAddress = membershipOf(["127.0.0.0/8", "::1"]);

/** Browsers take such a place for as secure as one with TLS. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, "$1");
  return /(^|\.)localhost$/.test(name) || isLoopbackAddress(name);
}

/** Whether others than the users of this machine get to the gate, as far as the settings tell. */
export function reachOf({ settings, url }: Patient): "this-machine" | "others" {
  const hosts = [
    settings.host,
    ...(settings.publicUrl === undefined ? [] : [new URL(settings.publicUrl).hostname]),
    ...(url === undefined ? [] : [url.hostname]),
  ];
  return hosts.every(isLoopbackHost) ? "this-machine" : "others";
}
