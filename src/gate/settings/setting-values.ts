import { X509Certificate } from "node:crypto";
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { isIP } from "node:net";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { canonicalHost } from "../../core/allowed-hosts.ts";
import { isLimitIpv6Prefix } from "../../options.ts";
import { readPostgresUrl } from "../../stores/postgres/url.ts";
import { originOf } from "../../web/location.ts";
import { isLogo } from "../../web/pages/assets.ts";
import { membershipOf } from "../../web/request/remote-address.ts";
import { logLevels, onOrOffChoices } from "./setting-names.ts";
import { chosen } from "./value-kinds.ts";

// What a setting makes of its text; `undefined`, or a fault that says more, where it cannot take it.

/** Throws with what exactly is wrong, which never repeats the URL. */
export function postgresUrl(text: string): string {
  readPostgresUrl(text);
  return text;
}

export function hostName(text: string): string | undefined {
  return isIP(text) !== 0 || /^[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(text) ? text : undefined;
}

export function hostList(text: string): readonly string[] | undefined {
  const hosts = text.split(",").flatMap((host) => canonicalHost(host.trim()) ?? []);
  return hosts.length === text.split(",").length ? hosts : undefined;
}

export function portNumber(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined;
}

export function ipv6Prefix(text: string): number | undefined {
  return /^\d{2,3}$/.test(text) && isLimitIpv6Prefix(Number(text)) ? Number(text) : undefined;
}

export function folder(text: string): string | undefined {
  const path = resolve(text);
  try {
    return statSync(path).isDirectory() ? path : undefined;
  } catch {
    return undefined;
  }
}

export function readableFile(text: string): string | undefined {
  const path = resolve(text);
  try {
    accessSync(path, constants.R_OK);
    return statSync(path).isFile() ? path : undefined;
  } catch {
    return undefined;
  }
}

/** What stands in a file of certificates; there has to be one at least. */
export function certificates(text: string): string | undefined {
  try {
    const pem = readFileSync(resolve(text), "utf8");
    new X509Certificate(pem);
    return pem;
  } catch {
    return undefined;
  }
}

export function httpsUrl(text: string): string | undefined {
  return URL.canParse(text) && new URL(text).protocol === "https:" ? text : undefined;
}

export function image(text: string): string | undefined {
  const path = resolve(text);
  return isLogo(path) ? path : undefined;
}

/** A path, or a name to be found as a shell would find it. */
export function program(text: string, searchPath: string): string | undefined {
  const candidates =
    isAbsolute(text) || text.includes("/")
      ? [resolve(text)]
      : searchPath.split(delimiter).map((place) => join(place, text));
  return candidates.find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

export function addressRanges(text: string): readonly string[] | undefined {
  const ranges = text.split(",").map((range) => range.trim());
  try {
    membershipOf(ranges);
    return ranges;
  } catch {
    return undefined;
  }
}

/** A slash at the end is how people write it. */
export function publicOrigin(text: string): string | undefined {
  const origin = text.replace(/\/$/, "");
  return originOf(origin) === origin ? origin : undefined;
}

/** Separated by commas; an empty piece is a slip. */
export function list(text: string): readonly string[] | undefined {
  const pieces = text.split(",").map((piece) => piece.trim());
  return pieces.includes("") ? undefined : pieces;
}

export function onOrOff(text: string): "on" | "off" | undefined {
  return chosen(onOrOffChoices, text);
}

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000 };

/** `400d` or `12h`, in milliseconds. */
export function age(text: string): number | undefined {
  const [, number, unit = ""] = /^([1-9]\d{0,5})([hd])$/.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) * (UNIT_MS[unit] ?? 0);
}

export function logLevel(text: string): string | undefined {
  return chosen(logLevels, text);
}
