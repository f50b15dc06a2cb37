import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { LaunchOptions } from "playwright-core";
import { decompress } from "wawoff2";

const UNPACK = fileURLToPath(new URL("./browser-unpack.ts", import.meta.url));
const CACHE = fileURLToPath(
  new URL("../../node_modules/.cache/latchkey-browser/", import.meta.url),
);

/** Makes screenshots of the same page identical. */
const ARGS = ["--font-render-hinting=none", "--disable-partial-raster"];

/**
 * The launch options for this machine: the browser of the npm package with its own libraries and
 * fonts on x64 Linux, the installed Chrome elsewhere. The browser leaves files in its temp folder,
 * which the caller must remove.
 */
export async function launchOptions(tempDir: string): Promise<LaunchOptions> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    return { args: ARGS, channel: "chrome" };
  }
  const folder = await unpacked();
  return {
    args: ARGS,
    executablePath: join(folder, "chromium"),
    env: {
      PATH: process.env.PATH ?? "",
      HOME: folder,
      TMPDIR: tempDir,
      LD_LIBRARY_PATH: join(folder, "al2023/lib"),
      FONTCONFIG_PATH: join(folder, "fonts"),
    },
  };
}

/** Renames the folder once it is complete, so that concurrent processes can unpack. */
async function unpacked(): Promise<string> {
  const entry = import.meta.resolve("@sparticuz/chromium");
  const { version } = JSON.parse(await readFile(new URL("../package.json", entry), "utf8"));
  // Other fonts need another name.
  const folder = join(CACHE, `${version}-fonts-2`);
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const own = await mkdtemp(`${folder}-`);
  try {
    await unpackInto(own);
    await rename(own, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
  return folder;
}

async function unpackInto(folder: string): Promise<void> {
  await promisify(execFile)(process.execPath, [UNPACK], {
    // The package unpacks the libraries for minimal systems only if it seems to run on Lambda.
    env: { TMPDIR: folder, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x" },
  });
  await unpackFonts(join(folder, "fonts"));
  // Readable for all users, not only the one that unpacked it.
  await chmod(folder, 0o755);
  await chmod(join(folder, "chromium"), 0o755);
}

/**
 * Replaces the package's only font by fonts with the weights of the pages and with the letters of
 * the names in the tests. Without other fonts, screenshots are the same everywhere.
 */
async function unpackFonts(folder: string): Promise<void> {
  const fonts = join(folder, "fonts");
  await rm(fonts, { recursive: true });
  await mkdir(fonts);
  for (const { name, file } of FONTS) {
    const entry = import.meta.resolve(`@fontsource-variable/${name}/package.json`);
    const files = fileURLToPath(new URL("files/", entry));
    const wanted = (await readdir(files)).filter((candidate) => file.test(candidate));
    if (wanted.length === 0) throw new Error(`@fontsource-variable/${name} has no font`);
    for (const font of wanted) {
      // The font library of Chromium does not find compressed fonts.
      const uncompressed = await decompress(await readFile(join(files, font)));
      await writeFile(join(fonts, font.replace(".woff2", ".ttf")), uncompressed);
    }
  }
  await writeFile(join(folder, "fonts.conf"), CONFIGURATION);
}

const FONTS = [
  { name: "inter", file: /^inter-(latin|cyrillic)(-ext)?-wght-normal\.woff2$/ },
  { name: "jetbrains-mono", file: /^jetbrains-mono-latin-wght-normal\.woff2$/ },
  { name: "noto-sans-arabic", file: /^noto-sans-arabic-arabic-wght-normal\.woff2$/ },
  { name: "noto-sans-sc", file: /-wght-normal\.woff2$/ },
  { name: "noto-sans-kr", file: /-wght-normal\.woff2$/ },
];

/** The package's own file uses Lambda's folders. */
const CONFIGURATION = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir prefix="relative">fonts</dir>
<alias><family>sans-serif</family><prefer><family>Inter Variable</family></prefer></alias>
<alias><family>monospace</family><prefer><family>JetBrains Mono Variable</family></prefer></alias>
</fontconfig>
`;
