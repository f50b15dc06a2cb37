import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { Fault, messageOf } from "../../core/fault.ts";
import type { Paths } from "../paths.ts";
import { type Accent, accentFrom } from "./accent-color.ts";
import { keyIcon } from "./key-icon.ts";
import type { PageFiles } from "./templates.ts";

/** A file that anybody may fetch, read once at the start. */
export interface Asset {
  readonly path: string;
  /** What pages refer to. */
  readonly url: string;
  readonly contentType: string;
  readonly cacheControl: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

export interface Assets {
  readonly styleSheet: Asset;
  readonly script: Asset;
  readonly logo: Asset;
  /** What is the whole site's: its icon, and the word to search engines. */
  readonly site: readonly Asset[];
}

export interface Look {
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

export function loadAssets(paths: Paths, files: PageFiles, look: Look): Assets {
  const accent = accentFrom(look.accentColor ?? DEFAULT_ACCENT);
  const style = files.read("latchkey.css").text + (look.accentColor ? accentRules(accent) : "");
  const icon = keyIcon(accent);
  const logo =
    look.logoFile === undefined ? { type: "image/svg+xml", body: icon } : readLogo(look.logoFile);
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

/** Whether the file can be read, and browsers show such an image. */
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
  if (type === undefined) return unusable(`is none of ${Object.keys(IMAGE_TYPES).join(", ")}`);
  let body: Uint8Array<ArrayBuffer>;
  try {
    body = new Uint8Array(readFileSync(file));
  } catch (error) {
    return unusable(`cannot be read: ${messageOf(error)}`, error);
  }
  if (body.length === 0) return unusable("is empty");
  if (body.length > MAX_LOGO_BYTES) return unusable(`has more than ${MAX_LOGO_BYTES} bytes`);
  return { type, body };
}

type Content = string | Uint8Array<ArrayBuffer>;

/** Pages refer to it by a digest of its content, so that it can be kept for ever. */
function ofPages(path: string, contentType: string, content: Content): Asset {
  const body = bytesOf(content);
  const url = `${path}?v=${shortDigest(body)}`;
  return { path, url, contentType, cacheControl: "public, max-age=31536000, immutable", body };
}

/** Found by everybody at the one address that it always has. */
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
