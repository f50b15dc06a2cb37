import { interactionPolicy, type KoaContextWithOIDC } from "oidc-provider";
import type { App } from "../../db/records.ts";
import { judgeUser } from "../apps/app-directory.ts";
import { TWO_FACTORS, type Visitor } from "./visitor.ts";

/** Names why a sign-in must ask the person, in the details of an interaction. */
export const REASONS = {
  excluded: "app_access",
  factor: "app_factor",
  acr: "acr_values",
} as const;

interface PolicyServices {
  getVisitor(ctx: KoaContextWithOIDC): Visitor | undefined;
  findApp(ctx: KoaContextWithOIDC): Promise<App | undefined>;
}

/**
 * Creates the rules that decide whether a sign-in to an app must ask the person: the rules of the
 * provider, and whether the app admits the account.
 */
export function createInteractionPolicy({
  getVisitor,
  findApp,
}: PolicyServices): interactionPolicy.DefaultPolicy {
  const { Check } = interactionPolicy;
  const policy = interactionPolicy.base();
  const login = policy.get("login");
  const consent = policy.get("consent");

  const check = (
    reason: string,
    description: string,
    error: string,
    asks: (ctx: KoaContextWithOIDC, visitor: Visitor) => Promise<boolean> | boolean,
  ) =>
    new Check(reason, description, error, async (ctx) => {
      const visitor = getVisitor(ctx);
      return visitor !== undefined && (await asks(ctx, visitor));
    });

  login?.checks.add(
    check(
      REASONS.excluded,
      "the account may not open this app",
      "access_denied",
      async (ctx, { user, factors }) => {
        const app = await findApp(ctx);
        return app === undefined || judgeUser(app, user, factors) === "excluded";
      },
    ),
  );
  login?.checks.add(
    check(
      REASONS.factor,
      "the app requires a second factor",
      "login_required",
      async (ctx, { user, factors }) => {
        const app = await findApp(ctx);
        return app !== undefined && judgeUser(app, user, factors) === "factor-unproven";
      },
    ),
  );
  // The app prefers a second factor: the person is asked once, and goes on without if they have
  // none.
  login?.checks.add(
    check(
      REASONS.acr,
      "the app asks for a second factor",
      "login_required",
      ({ oidc }, { factors }) => {
        if (oidc.params?.prompt === "none") return false;
        const [preferred] = String(oidc.params?.acr_values ?? "").split(" ");
        return preferred === TWO_FACTORS && factors < 2 && oidc.result?.login === undefined;
      },
    ),
  );

  // An app with a secret has its own server, which the redirect of a browser cannot replace. Any app
  // on a phone can claim to be a public one, so the person must see its name.
  consent?.checks.remove("native_client_prompt");
  consent?.checks.add(
    check(
      "public_client",
      "the person must see which app signs in",
      "interaction_required",
      ({ oidc }) => {
        const uri = URL.parse(String(oidc.params?.redirect_uri ?? ""));
        const isClaimed = uri === null || uri.protocol === "https:";
        return oidc.client?.clientAuthMethod === "none" && !isClaimed && !oidc.result?.consent;
      },
    ),
  );
  return policy;
}
