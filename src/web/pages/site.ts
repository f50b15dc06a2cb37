import type { Paths } from "../paths.ts";
import { accentFrom, DEFAULT_ACCENT } from "./accent-color.ts";
import { type Asset, accentRules, assetOf, keyIcon, readLogo } from "./assets.ts";
import type { PageFunctions } from "./page-data.ts";
import { loadPages, type Pages } from "./render.ts";
import { pageReader } from "./templates.ts";

export interface SiteOptions {
  readonly pagesDir: string | undefined;
  readonly pages: PageFunctions;
  readonly appName: string;
  readonly accentColor: string | undefined;
  readonly logoFile: string | undefined;
  readonly siteFiles: boolean;
  readonly passkeys: boolean;
}

export interface Site {
  readonly pages: Pages;
  readonly assets: readonly Asset[];
}

/** Reads pages and assets once. Throws a `Fault` for a file that cannot be used. */
export function loadSite(paths: Paths, options: SiteOptions): Site {
  const { accentColor, logoFile } = options;
  const read = pageReader(options.pagesDir);
  const accent = accentFrom(accentColor ?? DEFAULT_ACCENT);
  const icon = { type: "image/svg+xml", body: keyIcon(accent) };
  const image = logoFile === undefined ? icon : readLogo(logoFile);
  const style = read("latchkey.css").text + (accentColor ? accentRules(accent) : "");
  const styleSheet = assetOf(paths.styleSheet, "text/css; charset=utf-8", style);
  const script = assetOf(paths.script, "text/javascript; charset=utf-8", read("latchkey.js").text);
  const passkeyScript = assetOf(
    paths.passkeyScript,
    "text/javascript; charset=utf-8",
    read("latchkey-passkeys.js").text,
  );
  const logo = assetOf(paths.logo, image.type, image.body);
  // At fixed paths, so cached only for an hour.
  const siteFiles = [
    assetOf("/favicon.svg", icon.type, icon.body),
    assetOf("/robots.txt", "text/plain; charset=utf-8", "User-agent: *\nDisallow: /\n"),
  ].map((asset) => ({ ...asset, cacheControl: "public, max-age=3600" }));
  const place = {
    basePath: paths.base,
    homePath: paths.home,
    styleSheetUrl: styleSheet.url,
    scriptUrl: script.url,
    passkeyScriptUrl: passkeyScript.url,
    logoUrl: logo.url,
    appName: options.appName,
  };
  return {
    pages: loadPages(read, place, options.pages),
    assets: [
      ...[styleSheet, script, logo],
      ...(options.passkeys ? [passkeyScript] : []),
      ...(options.siteFiles ? siteFiles : []),
    ],
  };
}
