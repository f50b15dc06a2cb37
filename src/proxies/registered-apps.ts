import type { App } from "../db/records.ts";
import { parseHostName } from "../lib/host-name.ts";
import { isLoopbackHost } from "../lib/loopback.ts";

/** Contains what a configuration says about an app. Each text is safe in every format. */
export interface ChosenApp {
  readonly name: string;
  readonly host: string;
  /** Contains the host and port of the app's server. */
  readonly server: string;
}

export interface Choice {
  readonly apps: readonly ChosenApp[];
  /** Browsers reach the first app at this URL. */
  readonly firstUrl: URL | undefined;
  readonly warnings: readonly string[];
}

/** Describes the gate that the configuration asks. */
interface GatePlace {
  /** Contains the host and port at which the proxy reaches the gate. */
  readonly gate: string;
  readonly gateHost: string | undefined;
  readonly publicUrl: URL | undefined;
}

/**
 * Chooses the apps that have a URL and an upstream, with a warning for every other app, and for an
 * app that browsers could not use.
 */
export function chooseApps(registered: readonly App[], place: GatePlace): Choice {
  const chosen: ChosenApp[] = [];
  const warnings: string[] = [];
  const names = new Set<string>();
  const idsByHost = new Map<string, string>();
  let firstUrl: URL | undefined;

  for (const app of registered) {
    const { problem, url, host, server } = readApp(app, place);
    if (problem !== undefined) {
      warnings.push(`left out the app ${app.id}: ${problem}`);
      continue;
    }
    const other = idsByHost.get(host);
    if (other !== undefined) {
      warnings.push(
        `left out the app ${app.id}: the app ${other} has the same host ${host}, and a user must be admitted by both`,
      );
      continue;
    }
    idsByHost.set(host, app.id);
    firstUrl ??= url;
    const difference = findDifference(url, place.publicUrl, firstUrl);
    if (difference !== undefined) warnings.push(`the app ${app.id}: ${difference}`);
    chosen.push({ name: chooseName(host, names), host, server });
  }
  return { apps: chosen, firstUrl, warnings };
}

type ReadApp =
  | {
      readonly problem: string;
      readonly url?: never;
      readonly host?: never;
      readonly server?: never;
    }
  | { readonly problem?: never; readonly url: URL; readonly host: string; readonly server: string };

function readApp({ url: urlText, upstream }: App, { gate, gateHost }: GatePlace): ReadApp {
  if (urlText === undefined) return { problem: "it has no URL" };
  if (upstream === undefined) return { problem: "it has no upstream" };
  const url = new URL(urlText);
  const host = parseHostName(url.host);
  if (host === undefined || !isDomain(host)) {
    return { problem: `the host ${url.hostname} is not a domain name or an IPv4 address` };
  }
  const target = new URL(upstream);
  if (target.protocol !== "http:") return { problem: `its upstream ${upstream} does not use http` };
  // nginx would read `unix:80` as the path of a socket.
  if (
    !(isDomain(target.hostname) || target.hostname.startsWith("[")) ||
    target.hostname === "unix"
  ) {
    return { problem: `its upstream ${upstream} does not name a host` };
  }
  const server = `${target.hostname}:${target.port || 80}`;
  if (isGate(target, gate) || target.hostname === gateHost) {
    return { problem: `its upstream ${upstream} is the gate itself` };
  }
  return { url, host, server };
}

const MAX_HOST_LENGTH = 253;
const LABEL = /^[a-z\d_]([a-z\d_-]{0,61}[a-z\d_])?$/;

/**
 * Returns whether every proxy accepts the host where a configuration names it. A leading dot would
 * stand for all subdomains in nginx, and HAProxy would read a leading hyphen as a flag.
 */
const isDomain = (host: string): boolean =>
  host.length <= MAX_HOST_LENGTH && host.split(".").every((label) => LABEL.test(label));

function isGate(target: URL, gate: string): boolean {
  const { hostname, port } = new URL(`http://${gate}`);
  if ((target.port || "80") !== (port || "80")) return false;
  return (
    target.hostname === hostname || (isLoopbackHost(target.hostname) && isLoopbackHost(hostname))
  );
}

/** Explains why browsers cannot use an app whose URL differs from that of the sign-in. */
function findDifference(url: URL, publicUrl: URL | undefined, firstUrl: URL): string | undefined {
  const [other, name] =
    publicUrl === undefined ? [firstUrl, firstUrl.origin] : [publicUrl, "PUBLIC_URL"];
  if (url.protocol !== other.protocol) {
    return url.protocol === "http:"
      ? `its URL uses http and ${name} https, so browsers send no session there`
      : `its URL uses https and ${name} http, and the configuration serves one of them`;
  }
  return url.port === other.port
    ? undefined
    : `its URL has another port than ${name}, so a sign-in does not return to it`;
}

/**
 * Makes a name from a host, for routers, upstreams and backends. The prefix keeps it apart from the
 * names that a configuration itself has.
 */
function chooseName(host: string, taken: Set<string>): string {
  const base = `app-${host.replace(/[^a-z\d]+/g, "-")}`;
  let name = base;
  for (let at = 2; taken.has(name) || taken.has(`${name}-public`); at += 1) name = `${base}-${at}`;
  // Traefik has a second router for the public paths of an app.
  taken.add(name).add(`${name}-public`);
  return name;
}
