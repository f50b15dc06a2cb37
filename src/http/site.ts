import { createAccent, DEFAULT_ACCENT } from "../pages/accent-color.ts";
import type { PageFunctions } from "../pages/page-data.ts";
import { readPageFile } from "../pages/page-files.ts";
import { loadPages, type Pages } from "../pages/templates.ts";
import { type Asset, accentRules, answerAsset, createAsset, keyIcon, readLogo } from "./assets.ts";
import type { Paths } from "./paths.ts";
import { type Answer, withHeader } from "./responses.ts";
import type { WebRequest } from "./web-request.ts";

export interface SiteOptions {
  readonly pages: PageFunctions & {
    readonly appName: string;
    readonly accentColor: string | undefined;
    readonly logoFile: string | undefined;
    readonly logoFileDark: string | undefined;
    readonly css: string | undefined;
  };
  readonly signIn: { readonly passkeys: boolean };
  readonly standalone: boolean;
}

export interface Site {
  readonly pages: Pages;
  /** Maps each path to the function that answers a request for its assets. */
  readonly assets: ReadonlyMap<string, (request: WebRequest) => Answer>;
}

const STYLE_TYPE = "text/css; charset=utf-8";

/**
 * Returns the asset of the requested URL, or else the first asset of the path. An instance with
 * other files may have made the URL, so the browser must not cache the wrong asset under it.
 */
function answerFrom(assets: readonly Asset[], first: Asset, request: WebRequest): Answer {
  const requested = assets.find(({ url }) => url === `${request.path}${request.query}`);
  if (requested !== undefined) return answerAsset(requested, request);
  return withHeader(answerAsset(first, request), "Cache-Control", "no-cache");
}

/** Loads the pages and assets. Throws a `Fault` for a logo that cannot be used. */
export function openSite(paths: Paths, { pages, signIn, standalone }: SiteOptions): Site {
  const { appName, accentColor, logoFile, logoFileDark, css } = pages;
  const accent = createAccent(accentColor ?? DEFAULT_ACCENT);
  const icon = { type: "image/svg+xml", body: keyIcon(accent) };
  const at = (file: string): string => `${paths.base}/${file}`;
  const scriptOf = (file: string, path = file): Asset =>
    createAsset(at(path), "text/javascript; charset=utf-8", readPageFile(file));
  const style = readPageFile("latchkey.css") + (accentColor ? accentRules(accent) : "");
  const styleSheet = createAsset(at("latchkey.css"), STYLE_TYPE, style);
  const createStyleSheet = (file: string): Asset =>
    createAsset(at("latchkey.css"), STYLE_TYPE, readPageFile(file));
  // These assets share the paths of other files, because proxies already forward those paths to
  // Latchkey.
  const shellStyleSheet = createStyleSheet("latchkey-shell.css");
  const appStyleSheet = createStyleSheet("latchkey-apps.css");
  const providerStyleSheet = createStyleSheet("latchkey-providers.css");
  const customStyleSheet = css ? createAsset(at("latchkey.css"), STYLE_TYPE, css) : undefined;
  const script = scriptOf("latchkey.js");
  const codeScript = scriptOf("latchkey-codes.js", "latchkey.js");
  const launcherScript = scriptOf("latchkey-launcher.js", "latchkey.js");
  const passkeyScript = scriptOf("latchkey-passkeys.js");
  const logoOf = (file: string | undefined): Asset => {
    const { type, body } = file === undefined ? icon : readLogo(file);
    return createAsset(at("latchkey-logo"), type, body);
  };
  const logo = logoOf(logoFile);
  const darkLogo = logoFileDark === undefined ? undefined : logoOf(logoFileDark);
  // These paths are fixed, so browsers cache the files only for an hour.
  const siteFile = (path: string, type: string, body: string): Asset =>
    createAsset(path, type, body, "public, max-age=3600");
  const siteFiles = [
    siteFile("/favicon.svg", icon.type, icon.body),
    siteFile("/robots.txt", "text/plain; charset=utf-8", "User-agent: *\nDisallow: /\n"),
  ];
  const frameAt = (origin: string) => ({
    basePath: origin + paths.base,
    homePath: paths.home === undefined ? null : origin + paths.home,
    styleSheetUrl: origin + styleSheet.url,
    shellStyleSheetUrl: origin + shellStyleSheet.url,
    appStyleSheetUrl: origin + appStyleSheet.url,
    providerStyleSheetUrl: origin + providerStyleSheet.url,
    customStyleSheetUrl: customStyleSheet && origin + customStyleSheet.url,
    scriptUrl: origin + script.url,
    codeScriptUrl: origin + codeScript.url,
    launcherScriptUrl: origin + launcherScript.url,
    passkeyScriptUrl: origin + passkeyScript.url,
    logoUrl: origin + logo.url,
    darkLogoUrl: darkLogo && origin + darkLogo.url,
    appName,
  });
  const versioned = [
    styleSheet,
    shellStyleSheet,
    appStyleSheet,
    providerStyleSheet,
    customStyleSheet,
    script,
    codeScript,
    launcherScript,
    logo,
    darkLogo,
  ]
    .concat(signIn.passkeys ? passkeyScript : undefined)
    .filter((asset) => asset !== undefined);
  const assets = new Map<string, (request: WebRequest) => Answer>();
  for (const asset of versioned) {
    if (assets.has(asset.path)) continue;
    assets.set(asset.path, (request) => answerFrom(versioned, asset, request));
  }
  for (const file of standalone ? siteFiles : []) {
    assets.set(file.path, (request) => answerAsset(file, request));
  }
  return { pages: loadPages(frameAt, pages), assets };
}
