import type { Context } from "hono";
import { isReturnTarget } from "../core/return-target.ts";
import { isOfHost } from "./request/same-origin.ts";

/** The form field and query parameter that carry the return target through the sign-in. */
export const RETURN_TO = "return_to";

export interface ReturnTo {
  /** Returns the target if it is allowed, otherwise `undefined`. */
  accepted(c: Context, target: string | undefined): string | undefined;
}

export interface PublicPlace {
  /** The origin under which browsers reach the gate. */
  readonly publicUrl: string | undefined;
  readonly cookieDomain: string | undefined;
}

/** Without forward auth, no return target is accepted. */
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

/** Without a public URL, the host of the request counts as the gate's own. */
function askedOrigin(c: Context, target: string): readonly string[] {
  return isOfHost(target, c.req.header("host")) ? [new URL(target).origin] : [];
}

export function portOf(publicUrl: string | undefined): string {
  return publicUrl === undefined ? "" : new URL(publicUrl).port;
}

/** Adds the return target, if there is one, to a location. */
export function withReturnTo(location: string, target: string | undefined): string {
  if (target === undefined) return location;
  const separator = location.includes("?") ? "&" : "?";
  return `${location}${separator}${RETURN_TO}=${encodeURIComponent(target)}`;
}
