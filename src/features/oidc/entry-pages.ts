import type { OidcPages, Services } from "../context.ts";
import { findSignInApp, getInteraction, postInteraction } from "./interaction-pages.ts";
import { createOidc } from "./oidc-pages.ts";

/** Creates everything that answers requests of OpenID Connect. */
export function createOidcPages(services: Services): OidcPages {
  const oidc = createOidc(services);
  return {
    answer: oidc.answer,
    getInteraction: (context) => getInteraction(oidc, context),
    postInteraction: (context, form) => postInteraction(oidc, context, form),
    findSignInApp: (context, returnTo) => findSignInApp(oidc, context, returnTo),
  };
}
