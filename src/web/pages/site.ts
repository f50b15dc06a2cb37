import type { Paths } from "../paths.ts";
import { type Asset, loadAssets } from "./assets.ts";
import type { PageFunctions } from "./page-data.ts";
import { loadPages, type Pages } from "./render.ts";
import { pageFiles } from "./templates.ts";

export interface SiteOptions {
  readonly pagesDir: string | undefined;
  readonly pages: PageFunctions;
  readonly appName: string;
  readonly accentColor: string | undefined;
  readonly logoFile: string | undefined;
  readonly siteFiles: boolean;
}

/** The pages and assets, with the paths at which they are served. */
export interface Site {
  readonly paths: Paths;
  readonly pages: Pages;
  readonly assets: readonly Asset[];
}

/** Reads pages and assets once. Throws a `Fault` for a file that cannot be used. */
export function loadSite(paths: Paths, options: SiteOptions): Site {
  const files = pageFiles(options.pagesDir);
  const { styleSheet, script, logo, site } = loadAssets(paths, files, options);
  const place = {
    basePath: paths.base,
    homePath: paths.home,
    styleSheetUrl: styleSheet.url,
    scriptUrl: script.url,
    logoUrl: logo.url,
    appName: options.appName,
  };
  return {
    paths,
    pages: loadPages(files, place, options.pages),
    assets: [styleSheet, script, logo, ...(options.siteFiles ? site : [])],
  };
}
