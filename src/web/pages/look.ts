import type { Paths } from "../paths.ts";
import { type Asset, loadAssets } from "./assets.ts";
import type { PageFunctions } from "./page-data.ts";
import { loadPages, type Pages } from "./render.ts";
import { pageFiles } from "./templates.ts";

export interface LookOptions {
  readonly pagesDir: string | undefined;
  readonly pages: PageFunctions;
  readonly appName: string;
  readonly accentColor: string | undefined;
  readonly logoFile: string | undefined;
  readonly siteFiles: boolean;
}

/** The pages and what goes along with them, read once. What cannot be used stops the start. */
export interface LoadedLook {
  readonly pages: Pages;
  readonly assets: readonly Asset[];
}

export function loadLook(paths: Paths, options: LookOptions): LoadedLook {
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
    pages: loadPages(files, place, options.pages),
    assets: [styleSheet, script, logo, ...(options.siteFiles ? site : [])],
  };
}
