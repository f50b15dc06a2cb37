import { type App, toIconId } from "../../db/records.ts";
import { APP_ICONS } from "../../http/paths.ts";
import { type Answer, respond } from "../../http/responses.ts";
import type { ShownApp } from "../../pages/page-data.ts";
import type { Context } from "../context.ts";
import type { Apps } from "./app-directory.ts";

/** An image may be shown for this long after it was replaced. */
const MAX_AGE_SECONDS = 300;

/**
 * An SVG can contain scripts. As an image it never runs them, and this policy forbids them where
 * somebody opens the file itself.
 */
const ICON_CSP = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** Answers with the icon of an app: `/latchkey-icons/photos/light`. */
export async function getAppIcon({ rules, paths, request, views }: Context): Promise<Answer> {
  const [id = "", scheme = "", ...rest] = request.path
    .slice((paths.base + APP_ICONS).length)
    .split("/");
  const isScheme = scheme === "light" || scheme === "dark";
  const icon =
    isScheme && rest.length === 0
      ? await rules.store.apps.findIcon(toIconId(id, scheme))
      : undefined;
  if (icon === undefined) return views.error({ request }, 404, "noSuchPage");
  return respond(Uint8Array.from(Buffer.from(icon.body, "base64")), 200, {
    "Content-Type": icon.type,
    "Content-Security-Policy": ICON_CSP,
    "Cache-Control": `private, max-age=${MAX_AGE_SECONDS}`,
  });
}

/** Returns what a page shows of an app. */
export function toShownApp(app: App, apps: Apps, basePath: string): ShownApp {
  const urlOf = (scheme: "light" | "dark") =>
    apps.hasIcon(app.id, scheme) ? `${basePath}${APP_ICONS}${app.id}/${scheme}` : undefined;
  return { name: app.name, iconUrl: urlOf("light"), darkIconUrl: urlOf("dark") };
}
