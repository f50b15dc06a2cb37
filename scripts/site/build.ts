import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { installPackages } from "../../test/support/packages.ts";
import { checkLinks } from "./links.ts";
import type { Site } from "./markdown.ts";
import { stage } from "./stage.ts";

const PACKAGES = fileURLToPath(new URL(".", import.meta.url));

/** The colours of both themes, which a picture takes from the page that shows it. */
const DIAGRAM_STYLE = `:root { --ground: #fff; --ink: #1a1b1e }
@media (prefers-color-scheme: dark) { :root { --ground: #141517; --ink: #ececee } }`;
const DIAGRAM_OPTIONS = {
  bg: "var(--ground)",
  fg: "var(--ink)",
  font: "system-ui",
  transparent: true,
};

/** Builds the site for an address below `base` into `out`. Throws if it contains a dead link. */
export async function buildSite(out: string, base: string): Promise<{ readonly pages: number }> {
  const installed = await installPackages(PACKAGES, "latchkey-site");
  const modules = join(installed, "node_modules");
  // Below the packages, where Astro finds them.
  const folder = await mkdtemp(join(installed, "build-"));
  try {
    await stage(folder, await loadDrawing(modules));
    await runAstro(folder, modules, base);
    await indexPages(folder, modules);
    const checked = await checkLinks(join(folder, "dist"), base);
    await rm(out, { recursive: true, force: true });
    await cp(join(folder, "dist"), out, { recursive: true });
    return checked;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function loadDrawing(modules: string): Promise<Site["draw"]> {
  const file = pathToFileURL(join(modules, "beautiful-mermaid/dist/index.js")).href;
  const { renderMermaidSVG } = await import(file);
  return (diagram) => {
    const svg: string = renderMermaidSVG(diagram, DIAGRAM_OPTIONS);
    // In place of a font from another host.
    return svg.replace(/@import url\('[^']*'\);/, DIAGRAM_STYLE);
  };
}

async function runAstro(folder: string, modules: string, base: string): Promise<void> {
  await run(folder, join(modules, "astro/bin/astro.mjs"), ["build", "--base", base]);
}

/** As a program, since the service that Starlight uses is stopped before it has written everything. */
const indexPages = (folder: string, modules: string): Promise<void> =>
  run(folder, join(modules, "pagefind/lib/runner/bin.cjs"), ["--site", "dist"]);

async function run(folder: string, script: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [script, ...args], {
    cwd: folder,
    env: { ...process.env, ASTRO_TELEMETRY_DISABLED: "1" },
  }).catch((error: { message: string; stdout: string; stderr: string }) => {
    throw new Error(`${error.message}\n${error.stdout}${error.stderr}`);
  });
}
