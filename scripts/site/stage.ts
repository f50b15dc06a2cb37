/** Writes what Astro builds: the pages, their images, the files that they link to, the theme. */
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { keyIcon } from "../../src/http/assets.ts";
import { createAccent, DEFAULT_ACCENT } from "../../src/pages/accent-color.ts";
import { type Site, type SitePage, toSitePage, toStartPage } from "./markdown.ts";
import { INDEX, README, RECIPES, readNavigation, readRoutes } from "./pages.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const THEME = fileURLToPath(new URL("theme/", import.meta.url));

export async function stage(folder: string, draw: Site["draw"]): Promise<void> {
  const index = await readFile(join(ROOT, INDEX), "utf8");
  const recipes = await readFile(join(ROOT, RECIPES), "utf8");
  const routes = readRoutes({ [INDEX]: index, [RECIPES]: recipes });
  await cp(THEME, folder, { recursive: true });
  await write(join(folder, "navigation.json"), JSON.stringify(readNavigation(index)));
  const icon = keyIcon(createAccent(DEFAULT_ACCENT));
  await write(join(folder, "public/favicon.svg"), icon);
  await write(join(folder, "src/key.svg"), icon);
  const site: Site = { routes, draw };
  const readme = await readFile(join(ROOT, README), "utf8");
  await writePage(folder, "index", toStartPage(readme, recipes, site));
  for (const [file, route] of routes) {
    const source = await readFile(join(ROOT, file), "utf8");
    await writePage(folder, route, toSitePage(file, source, site));
  }
}

async function writePage(folder: string, route: string, page: SitePage): Promise<void> {
  await write(join(folder, `src/content/docs/${route}.md`), page.text);
  for (const image of page.images) await copy(image, join(folder, "src/content/images", image));
  for (const [place, svg] of page.drawings) {
    await write(join(folder, "src/content/images", place), svg);
  }
  for (const linked of page.files) await copy(linked, join(folder, "public/files", linked));
}

const copy = (file: string, to: string): Promise<void> => cp(join(ROOT, file), to);

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
