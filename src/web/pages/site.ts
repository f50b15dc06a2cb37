import type { Answer } from "../answers/responses.ts";
import type { Paths } from "../paths.ts";
import type { WebRequest } from "../request/web-request.ts";
import { accentFrom, DEFAULT_ACCENT } from "./accent-color.ts";
import { type Asset, accentRules, answerAsset, assetOf, keyIcon, readLogo } from "./assets.ts";
import type { PageFunctions } from "./page-data.ts";
import { loadPages, type Pages, pageReader } from "./templates.ts";

export interface SiteOptions {
  readonly pages: {
    readonly appName: string;
    readonly accentColor: string | undefined;
    readonly logoFile: string | undefined;
    readonly logoFileDark: string | undefined;
    readonly dir: string | undefined;
    readonly functions: PageFunctions;
  };
  readonly signIn: { readonly passkeys: boolean };
  readonly standalone: boolean;
}

interface Site {
  readonly pages: Pages;
  readonly assets: readonly Asset[];
}

export interface OpenSite {
  readonly pages: Pages;
  /** What answers a request for the assets of a path. The paths are always the same. */
  readonly assets: ReadonlyMap<string, (request: WebRequest) => Answer>;
  /**
   * Reads all files again and replaces everything at once.
   * @throws {Fault} for a file that cannot be used, and then replaces nothing.
   */
  reload(): void;
}

/** Throws a `Fault` for a file that cannot be used. */
export function openSite(paths: Paths, options: SiteOptions): OpenSite {
  let current = loadSite(paths, options);
  return {
    pages: { render: (...given) => current.pages.render(...given) },
    assets: new Map(
      current.assets.map((asset) => [
        asset.path,
        (request) => answerAsset(assetFor(current, request) ?? asset, request),
      ]),
    ),
    reload() {
      current = loadSite(paths, options);
    },
  };
}

/** The one with the digest of the URL, or after a reload the first one of the path. */
const assetFor = ({ assets }: Site, { path, query }: WebRequest): Asset | undefined =>
  assets.find(({ url }) => url === `${path}${query}`) ??
  assets.find((asset) => asset.path === path);

/** Without comments, line breaks and what goes with them, which are a fifth of a style sheet. */
const smallerStyle = (style: string): string =>
  style
    .replaceAll(/\/\*.*?\*\//gs, "")
    .replaceAll(/\s*([{},;])\n\s*/g, "$1")
    .replaceAll(";}", "}")
    .replaceAll(/(?<=[{;][\w-]+): /g, ":")
    // Strings stay as they are.
    .replaceAll(/("[^"]*"|'[^']*')|(?<=[\s:(,])0(?=\.\d)|(?<=[,>]) | (?=>)/g, "$1");

/** Without indentation, and comments on lines of their own, which are a third of a script. */
const smallerScript = (script: string): string =>
  script.replaceAll(/^ *\/\*\*.*?\*\/\n|^ +(\/\/[^\n]*\n)?/gms, "");

/** Reads pages and assets once. Throws a `Fault` for a file that cannot be used. */
function loadSite(paths: Paths, { pages, signIn, standalone }: SiteOptions): Site {
  const { appName, accentColor, logoFile, logoFileDark } = pages;
  const read = pageReader(pages.dir);
  const accent = accentFrom(accentColor ?? DEFAULT_ACCENT);
  const icon = { type: "image/svg+xml", body: keyIcon(accent) };
  const at = (file: string): string => `${paths.base}/${file}`;
  const scriptOf = (file: string, path = file): Asset =>
    assetOf(at(path), "text/javascript; charset=utf-8", smallerScript(read(file).text));
  const style = smallerStyle(read("latchkey.css").text) + (accentColor ? accentRules(accent) : "");
  const styleSheet = assetOf(at("latchkey.css"), "text/css; charset=utf-8", style);
  const script = scriptOf("latchkey.js");
  // At the path of the other one, which proxies already send here.
  const codeScript = scriptOf("latchkey-codes.js", "latchkey.js");
  const passkeyScript = scriptOf("latchkey-passkeys.js");
  const logoOf = (file: string | undefined): Asset => {
    const { type, body } = file === undefined ? icon : readLogo(file);
    return assetOf(at("latchkey-logo"), type, body);
  };
  const logo = logoOf(logoFile);
  const darkLogo = logoFileDark === undefined ? undefined : logoOf(logoFileDark);
  // At fixed paths, so cached only for an hour.
  const siteFile = (path: string, type: string, body: string): Asset =>
    assetOf(path, type, body, "public, max-age=3600");
  const siteFiles = [
    siteFile("/favicon.svg", icon.type, icon.body),
    siteFile("/robots.txt", "text/plain; charset=utf-8", "User-agent: *\nDisallow: /\n"),
  ];
  const frameAt = (origin: string) => ({
    basePath: origin + paths.base,
    homePath: paths.home === undefined ? null : origin + paths.home,
    styleSheetUrl: origin + styleSheet.url,
    scriptUrl: origin + script.url,
    codeScriptUrl: origin + codeScript.url,
    passkeyScriptUrl: origin + passkeyScript.url,
    logoUrl: origin + logo.url,
    darkLogoUrl: darkLogo && origin + darkLogo.url,
    appName,
  });
  const more = [darkLogo ?? [], signIn.passkeys ? passkeyScript : [], standalone ? siteFiles : []];
  return {
    pages: loadPages(read, frameAt, pages.functions),
    assets: [styleSheet, script, codeScript, logo, ...more.flat()],
  };
}
