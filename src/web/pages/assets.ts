import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { Fault, messageOf } from "../../core/fault.ts";
import type { Paths } from "../paths.ts";
import { type Accent, accentFrom } from "./accent-color.ts";
import type { PageFiles } from "./templates.ts";

/** A public file, read once at the start. */
export interface Asset {
  readonly path: string;
  /** The URL in pages. */
  readonly url: string;
  readonly contentType: string;
  readonly cacheControl: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

export interface Assets {
  readonly styleSheet: Asset;
  readonly script: Asset;
  readonly logo: Asset;
  /** The files at the root of the host: the icon, and `robots.txt`. */
  readonly site: readonly Asset[];
}

/** The options for the colour and the logo. */
export interface Branding {
  readonly accentColor: string | undefined;
  readonly logoFile: string | undefined;
}

const MAX_LOGO_BYTES = 512 * 1024;

const IMAGE_TYPES: Readonly<Record<string, string>> = {
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".webp": "image/webp",
  ".avif": "image/avif",
  ".gif": "image/gif",
};

const DEFAULT_ACCENT = "#1a5fb4";

export function loadAssets(paths: Paths, files: PageFiles, branding: Branding): Assets {
  const accent = accentFrom(branding.accentColor ?? DEFAULT_ACCENT);
  const style = files.read("latchkey.css").text + (branding.accentColor ? accentRules(accent) : "");
  const icon = keyIcon(accent);
  const logo =
    branding.logoFile === undefined
      ? { type: "image/svg+xml", body: icon }
      : readLogo(branding.logoFile);
  return {
    styleSheet: ofPages(paths.styleSheet, "text/css; charset=utf-8", style),
    script: ofPages(paths.script, "text/javascript; charset=utf-8", files.read("latchkey.js").text),
    logo: ofPages(paths.logo, logo.type, logo.body),
    site: [
      ofSite("/favicon.svg", "image/svg+xml", icon),
      ofSite("/robots.txt", "text/plain; charset=utf-8", "User-agent: *\nDisallow: /\n"),
    ],
  };
}

/** Whether the file can be read and has an image type that browsers show. */
export function isLogo(file: string): boolean {
  try {
    readLogo(file);
    return true;
  } catch {
    return false;
  }
}

function readLogo(file: string): { type: string; body: Uint8Array<ArrayBuffer> } {
  const unusable = (problem: string, cause?: unknown): never => {
    throw new Fault("logo_unusable", `the logo ${file} ${problem}`, { cause });
  };
  const type = IMAGE_TYPES[extname(file).toLowerCase()];
  if (type === undefined)
    return unusable(`must end in one of ${Object.keys(IMAGE_TYPES).join(", ")}`);
  let body: Uint8Array<ArrayBuffer>;
  try {
    body = new Uint8Array(readFileSync(file));
  } catch (error) {
    return unusable(`cannot be read: ${messageOf(error)}`, error);
  }
  if (body.length === 0) return unusable("is empty");
  if (body.length > MAX_LOGO_BYTES) return unusable(`is larger than ${MAX_LOGO_BYTES} bytes`);
  return { type, body };
}

type Content = string | Uint8Array<ArrayBuffer>;

/** The URL contains a digest of the content, so that browsers can cache it forever. */
function ofPages(path: string, contentType: string, content: Content): Asset {
  const body = bytesOf(content);
  const url = `${path}?v=${shortDigest(body)}`;
  return { path, url, contentType, cacheControl: "public, max-age=31536000, immutable", body };
}

/** At a fixed path, so cached only for an hour. */
function ofSite(path: string, contentType: string, content: Content): Asset {
  const body = bytesOf(content);
  return { path, url: path, contentType, cacheControl: "public, max-age=3600", body };
}

const bytesOf = (content: Content): Uint8Array<ArrayBuffer> =>
  typeof content === "string" ? new TextEncoder().encode(content) : content;

function accentRules({ light, dark }: Accent): string {
  return `\n:root{--accent:${light}}\n@media (prefers-color-scheme:dark){:root{--accent:${dark}}}\n`;
}

function shortDigest(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("base64url").slice(0, 12);
}

/** A key on a tile, in the accent colour of the light or dark theme. */
function keyIcon({ light, dark }: Accent): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<style>.tile{fill:${light}}.key{fill:none;stroke:#fff;stroke-width:2.6;stroke-linecap:round;stroke-linejoin:round}@media (prefers-color-scheme:dark){.tile{fill:${dark}}.key{stroke:#212326}}</style>
<rect class="tile" width="32" height="32" rx="8"/>
<g class="key"><circle cx="11.5" cy="16" r="4.5"/><path d="M16 16h9.5v4M21 16v3"/></g>
</svg>
`;
}
