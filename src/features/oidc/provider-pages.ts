import { errors, type KoaContextWithOIDC } from "oidc-provider";
import type { App } from "../../db/records.ts";
import { OIDC, OIDC_DEVICE } from "../../http/paths.ts";
import type { Answer } from "../../http/responses.ts";
import type { PageData, ShownApp } from "../../pages/page-data.ts";
import { getWords } from "../../pages/words.ts";
import { judgeUser } from "../apps/app-directory.ts";
import { splitList } from "../apps/app-fields.ts";
import { toShownApp } from "../apps/app-icon-pages.ts";
import { checkRedirect } from "../apps/app-urls.ts";
import type { Services } from "../context.ts";
import { Exchange } from "./exchange-pages.ts";
import type { ProviderPages } from "./provider.ts";

/** Creates the pages that the provider shows, in Latchkey's own design. */
export function createProviderPages({ rules, views, paths }: Services): ProviderPages {
  async function show(
    ctx: KoaContextWithOIDC,
    render: (exchange: Exchange) => Promise<Answer>,
  ): Promise<void> {
    if (!(ctx.req instanceof Exchange)) throw new Error("not a request of this provider");
    ctx.req.page = await render(ctx.req);
    ctx.body = "";
  }

  const showDevice = (ctx: KoaContextWithOIDC, data: PageData["device"], status = 200) =>
    show(ctx, ({ request, visitor }) =>
      views.page({ request, user: visitor?.user }, "device", data, { status }),
    );

  async function findShownApp({ oidc }: KoaContextWithOIDC): Promise<ShownApp | undefined> {
    const apps = await rules.appDirectory.read();
    const app = apps.find(oidc.client?.clientId ?? "");
    return app && toShownApp(app, apps, paths.base);
  }

  async function requireApp(ctx: KoaContextWithOIDC): Promise<ShownApp> {
    const app = await findShownApp(ctx);
    if (app === undefined) throw new errors.InvalidClient("the app has been removed", "removed");
    return app;
  }

  /**
   * Notes the redirect URI that an app asked for, so that an administrator can add it. Only a person
   * whom the app admits can make the page of the app show an address.
   */
  async function noteRefusedRedirect(
    { oidc }: KoaContextWithOIDC,
    error: Error,
    { visitor }: Exchange,
  ): Promise<void> {
    const uri = oidc.params?.redirect_uri;
    if (!(error instanceof errors.InvalidRedirectUri) || typeof uri !== "string") return;
    const app = (await rules.appDirectory.read()).find(oidc.client?.clientId ?? "");
    if (app === undefined || visitor === undefined || checkRedirect(uri) !== undefined) return;
    if (judgeUser(app, visitor.user, visitor.factors) === "excluded") return;
    rules.appUses.noteRefusal(app.id, visitor.user.id, uri);
  }

  const devicePath = paths.base + OIDC_DEVICE;

  return {
    error: (ctx, error) =>
      show(ctx, async (exchange) => {
        const viewer = { request: exchange.request, user: exchange.visitor?.user };
        if (!isClientFault(error)) return views.fault(viewer, error);
        if (error instanceof errors.SessionNotFound) {
          return views.error(viewer, 400, "signInExpired");
        }
        await noteRefusedRedirect(ctx, error, exchange);
        const words = getWords(views.locale(exchange.request));
        return views.refusedApp(viewer, error.statusCode, explain(ctx, error, words));
      }),

    confirmSignOut: (ctx, secret) =>
      show(ctx, async ({ request, visitor }) => {
        const apps = await rules.appDirectory.read();
        const app = apps.find(ctx.oidc.client?.clientId ?? "");
        const formPath = `${paths.base}${OIDC}logout/confirm`;
        const returnUri = ctx.oidc.params?.post_logout_redirect_uri;
        const returning = app && returnUri ? listFormTargets(app, returnUri) : [];
        const shown = app && toShownApp(app, apps, paths.base);
        const data = { kind: "ask", app: shown, formPath, secret } as const;
        return views.page({ request, user: visitor?.user }, "signOut", data, { returning });
      }),

    signedOut: (ctx) =>
      show(ctx, ({ request, visitor }) =>
        views.page({ request, user: visitor?.user }, "signOut", { kind: "signed-out" }),
      ),

    enterDeviceCode: async (ctx, secret, error) => {
      if (error?.name === "AbortedError") return showDevice(ctx, { kind: "stopped" });
      const request = ctx.req instanceof Exchange ? ctx.req.request : undefined;
      // A page without a code is the first one, and nothing is wrong yet.
      const isWrong = error !== undefined && error.name !== "NoCodeError";
      const problem =
        isWrong && request
          ? ({ message: views.message(request, "deviceCodeWrong"), fields: ["user_code"] } as const)
          : undefined;
      const data = { kind: "enter-code", formPath: devicePath, secret, problem } as const;
      return showDevice(ctx, data, isWrong ? 422 : 200);
    },

    confirmDevice: async (ctx, secret, userCode) =>
      showDevice(ctx, {
        kind: "confirm",
        app: await requireApp(ctx),
        formPath: devicePath,
        secret,
        userCode,
      }),

    deviceSignedIn: async (ctx) =>
      showDevice(ctx, { kind: "signed-in", app: await requireApp(ctx) }),
  };
}

/** Returns whether a failure is the fault of the client, and not of this server. */
const isClientFault = (error: unknown): error is errors.OIDCProviderError =>
  error instanceof errors.OIDCProviderError && error.statusCode < 500;

/** Says what to correct, since a person who sets up an app reads this page first. */
function explain(
  { oidc, query }: KoaContextWithOIDC,
  error: errors.OIDCProviderError,
  words: ReturnType<typeof getWords>,
): string {
  const { client, params = query } = oidc;
  if (error instanceof errors.InvalidRedirectUri && client !== undefined) {
    return words.redirectRefused(
      client.clientName ?? client.clientId,
      shorten(params.redirect_uri),
    );
  }
  if (error instanceof errors.InvalidClient && client === undefined) {
    return words.clientUnknown(shorten(params.client_id));
  }
  return words.requestRefused(error.error_description ?? error.message);
}

const MAX_SHOWN = 300;

/** Returns a value of the request as a page shows it. */
function shorten(value: unknown): string {
  const text = typeof value === "string" ? value : "";
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN).toWellFormed()}…`;
}

/**
 * Lists what a policy for forms must name so that a form can return to an app. A browser applies the
 * policy to every redirect that follows, and many apps continue at the URL where people open them.
 *
 * @param uri the form returns to this URI first. An app on a device can choose its port.
 */
export function listFormTargets(
  { url, redirects, signOutRedirects }: App,
  uri: unknown,
): readonly string[] {
  const uris = [uri, url, ...splitList(redirects), ...splitList(signOutRedirects)];
  return [...new Set(uris.flatMap((each) => (typeof each === "string" ? toFormTarget(each) : [])))];
}

/** Returns the origin of a URI, or its scheme if a browser cannot open it. */
function toFormTarget(uri: string): string {
  const { protocol, origin } = new URL(uri);
  return protocol === "https:" || protocol === "http:" ? origin : protocol;
}
