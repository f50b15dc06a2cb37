import "./lib/node-version.ts";
import type { OidcSupport } from "./options.ts";

export type { OidcSupport };

/**
 * Signs people in to apps that speak OpenID Connect, at `/oidc/` of the public URL. The package
 * `oidc-provider` is loaded with the first request. It runs on Node.js only.
 *
 * @example
 * ```ts
 * import { oidc } from "latchkey/oidc";
 *
 * const hosts = { publicUrl: "https://auth.example.org" };
 * const auth = createAuth({ store, secret, oidc, hosts });
 * ```
 */
export const oidc: OidcSupport = Object.freeze<OidcSupport>({
  async createPages(services) {
    const { createOidcPages } = await loadQuietly(() => import("./features/oidc/entry-pages.ts"));
    return createOidcPages(services);
  },
});

/**
 * Loads a module without the remark of `oidc-provider` about versions of Node.js that are not yet in
 * long-term support: Latchkey has its own list of versions.
 */
async function loadQuietly<T>(load: () => Promise<T>): Promise<T> {
  const { warn } = console;
  console.warn = (...values: unknown[]) => {
    if (!String(values[0]).includes("oidc-provider")) warn(...values);
  };
  try {
    return await load();
  } finally {
    console.warn = warn;
  }
}
