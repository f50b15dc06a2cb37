import assert from "node:assert/strict";
import type { Settings } from "../../src/gate/settings/settings.ts";
import type { Answer } from "../support/client.ts";
import type { RunningGate } from "../support/gate.ts";

export type Headers = Readonly<Record<string, string>>;

export const PUBLIC_URL = "https://auth.example.test";
export const BROWSER: Headers = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

/** The headers that a proxy sends when a browser requests a page. */
export const PAGE: Headers = {
  ...BROWSER,
  "X-Forwarded-Method": "GET",
  "X-Forwarded-Proto": "https",
  "X-Forwarded-Host": "app.example.test",
  "X-Forwarded-Uri": "/page?a=b&c=%20d",
};
export const TARGET: string = encodeURIComponent("https://app.example.test/page?a=b&c=%20d");
export const SIGN_IN_URL: string = `${PUBLIC_URL}/login?return_to=${TARGET}`;

/** A public URL and a cookie domain, behind a proxy on this machine. */
export const FORWARD_AUTH: Partial<Settings> = {
  publicUrl: PUBLIC_URL,
  cookieDomain: "example.test",
  trustedProxies: ["127.0.0.1"],
};

export const ask = (gate: RunningGate, headers: Headers, session?: string): Promise<Answer> =>
  gate.send("/forward-auth", { headers, session });

export function assertNoIdentity({ headers, cookies, body }: Answer): void {
  assert.deepEqual([headers["remote-user"], headers["remote-user-id"]], [undefined, undefined]);
  assert.deepEqual([cookies, body, headers["cache-control"]], [[], "", "no-store"]);
}
