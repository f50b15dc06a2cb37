import { isLocalPath, PRINTABLE } from "./local-path.ts";

/** Where somebody may be led back to after the sign-in. */
export interface ReturnScope {
  /** The gate's own origins. */
  readonly origins: readonly string[];
  /** The domain that shares the session, with everything below it. */
  readonly domain: string | undefined;
  /** The port of the public address, empty for the default one: no other is accepted elsewhere. */
  readonly port: string;
}

const LONGEST = 2_048;

/**
 * Whether a target that a client brought along leads to a place of our own. Only the one spelling
 * that a parser gives back is taken, so that nobody can mean one host and have another one read.
 */
export function isReturnTarget(target: string, { origins, domain, port }: ReturnScope): boolean {
  if (target.length > LONGEST || !PRINTABLE.test(target)) return false;
  if (target.startsWith("/")) return isLocalPath(target);
  if (!URL.canParse(target)) return false;
  const url = new URL(target);
  if (url.href !== target || url.username !== "" || url.password !== "") return false;
  if (url.protocol !== "https:" && url.protocol !== "http:") return false;
  if (origins.includes(url.origin)) return true;
  return domain !== undefined && url.port === port && isAtOrBelow(url.hostname, domain);
}

export function isAtOrBelow(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}
