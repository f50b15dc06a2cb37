import type { Context } from "hono";
import { isReturnTarget } from "../core/return-target.ts";
import { isOfHost } from "./request/same-origin.ts";

/** The field and query parameter that carry the page which was asked for through the sign-in. */
export const RETURN_TO = "return_to";

export interface ReturnTo {
  /** The target if it is one of our own places, otherwise nothing. */
  accepted(c: Context, target: string | undefined): string | undefined;
}

export interface PublicPlace {
  /** The origin under which browsers reach the gate. */
  readonly publicUrl: string | undefined;
  readonly cookieDomain: string | undefined;
}

/** For applications without forward auth: nothing is carried along, nothing is accepted. */
export const noReturnTo: ReturnTo = { accepted: () => undefined };

export function createReturnTo({ publicUrl, cookieDomain }: PublicPlace): ReturnTo {
  return {
    accepted(c, target) {
      if (target === undefined) return undefined;
      const scope = {
        origins: publicUrl === undefined ? askedOrigin(c, target) : [publicUrl],
        domain: cookieDomain,
        port: portOf(publicUrl),
      };
      return isReturnTarget(target, scope) ? target : undefined;
    },
  };
}

/** Without a public URL, the host that the browser asked for is the gate's own. */
function askedOrigin(c: Context, target: string): readonly string[] {
  return isOfHost(target, c.req.header("host")) ? [new URL(target).origin] : [];
}

export function portOf(publicUrl: string | undefined): string {
  return publicUrl === undefined ? "" : new URL(publicUrl).port;
}

/** A location that carries the target along, as it is where there is none. */
export function withReturnTo(location: string, target: string | undefined): string {
  if (target === undefined) return location;
  const separator = location.includes("?") ? "&" : "?";
  return `${location}${separator}${RETURN_TO}=${encodeURIComponent(target)}`;
}
