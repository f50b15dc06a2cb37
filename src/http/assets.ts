import { createHash } from "node:crypto";
import { extname } from "node:path";
import { gzipSync } from "node:zlib";
import { Fault, getErrorMessage } from "../lib/fault.ts";
import { readSmallFile, type SmallFile } from "../lib/files/small-file.ts";
import type { Accent } from "../pages/accent-color.ts";
import { type Answer, respond, STRICT_CSP } from "./responses.ts";
import type { WebRequest } from "./web-request.ts";

export interface Asset {
  readonly path: string;
  /** Pages use this URL. */
  readonly url: string;
  readonly answer: Answer;
  /** Returns the response for clients that accept gzip. It is compressed on first use. */
  readonly compressed: () => Answer;
}

const FOREVER = "public, max-age=31536000, immutable";

const MAX_LOGO_BYTES = 512 * 1024;
export const MAX_CSS_BYTES: number = 64 * 1024;

const IMAGE_TYPES: Readonly<Record<string, string>> = {
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".webp": "image/webp",
  ".avif": "image/avif",
  ".gif": "image/gif",
};

/**
 * Creates an asset. Its URL contains a digest of the content, so that browsers can cache it
 * forever.
 */
export function createAsset(
  path: string,
  contentType: string,
  content: string | Uint8Array<ArrayBuffer>,
  cacheControl: string = FOREVER,
): Asset {
  const digest = createHash("sha256").update(content).digest("base64url").slice(0, 12);
  const headers = {
    "Content-Type": contentType,
    // A browser that opens an image directly treats it as a document, and an SVG document can
    // contain scripts.
    "Content-Security-Policy": `${STRICT_CSP}; style-src 'unsafe-inline'; sandbox`,
    "Cache-Control": cacheControl,
    Vary: "Accept-Encoding",
  };
  const answer = respond(content, 200, headers);
  let compressed: Answer | undefined;
  const compress = (): Answer => {
    const small = new Uint8Array(gzipSync(content, { level: 9 }));
    // Photos are already compressed, so gzip can make them larger.
    return small.length < Buffer.byteLength(content)
      ? respond(small, 200, { ...headers, "Content-Encoding": "gzip" })
      : answer;
  };
  return {
    ...{ path, url: `${path}?v=${digest}`, answer },
    compressed() {
      compressed ??= compress();
      return compressed;
    },
  };
}

/**
 * Returns the response with an asset for this client. Assets are the same for all clients, so their
 * compressed size reveals nothing. Pages can contain client input, so they are never compressed.
 */
export const answerAsset = ({ answer, compressed }: Asset, request: WebRequest): Answer =>
  acceptsGzip(request.header("accept-encoding")) ? compressed() : answer;

const acceptsGzip = (accepted = ""): boolean =>
  accepted.split(",").some((coding) => /^\s*gzip\b(?!.*q=0(\.0*)?\s*$)/i.test(coding));

export function readLogo(file: string): { type: string; body: Uint8Array<ArrayBuffer> } {
  const unusable = (problem: string, cause?: unknown): never => {
    throw new Fault("logo_unusable", `the logo ${file} ${problem}`, { cause });
  };
  const type = IMAGE_TYPES[extname(file).toLowerCase()];
  if (type === undefined)
    return unusable(`must end in one of ${Object.keys(IMAGE_TYPES).join(", ")}`);
  let read: SmallFile;
  try {
    read = readSmallFile(file, MAX_LOGO_BYTES);
  } catch (error) {
    return unusable(`cannot be read: ${getErrorMessage(error)}`, error);
  }
  switch (read.kind) {
    case "not-a-file":
      return unusable("cannot be read: it is not a regular file");
    case "too-large":
      return unusable(`is larger than ${MAX_LOGO_BYTES} bytes`);
    case "content":
      return read.content.length === 0 ? unusable("is empty") : { type, body: read.content };
  }
}

export function accentRules({ brand, onBrand, light, dark }: Accent): string {
  return `\n:root{--brand:${brand};--on-brand:${onBrand};--accent:${light}}\n@media (prefers-color-scheme:dark){:root{--accent:${dark}}}\n`;
}

/**
 * Draws a key on a tile in the brand colour. The tile has an outline, because the brand colour can
 * be close to the colour of the card.
 */
export function keyIcon({ brand, onBrand, light, dark }: Accent): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<style>.tile{fill:${brand};stroke:${light}}.key{fill:none;stroke:${onBrand};stroke-width:2.6;stroke-linecap:round;stroke-linejoin:round}@media (prefers-color-scheme:dark){.tile{stroke:${dark}}}</style>
<rect class="tile" x=".5" y=".5" width="31" height="31" rx="7.5"/>
<g class="key"><circle cx="11.5" cy="16" r="4.5"/><path d="M16 16h9.5v4M21 16v3"/></g>
</svg>
`;
}
