import { type Answer, respondAsset } from "../answers/responses.ts";
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

/** The pages and assets in use. */
export interface OpenSite {
  readonly pages: Pages;
  /** What answers a request for an asset, by path. The paths are always the same. */
  readonly assets: ReadonlyMap<string, () => Answer>;
  /**
   * Reads all files again and replaces everything at once.
   * @throws {Fault} for a file that cannot be used, and then replaces nothing.
   */
  reload(): void;
}

/** Throws a `Fault` for a file that cannot be used. */
export function openSite(paths: Paths, options: SiteOptions): OpenSite {
  let current = answering(loadSite(paths, options));
  const answerOf = (path: string, first: Answer) => (): Answer =>
    current.answers.get(path) ?? first;
  return {
    pages: { render: (...given) => current.pages.render(...given) },
    assets: new Map([...current.answers].map(([path, first]) => [path, answerOf(path, first)])),
    reload() {
      current = answering(loadSite(paths, options));
    },
  };
}

const answering = ({ pages, assets }: Site) => ({
  pages,
  answers: new Map(assets.map((asset) => [asset.path, respondAsset(asset)])),
});

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
