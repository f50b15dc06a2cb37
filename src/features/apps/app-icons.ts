import { createAuditEvent } from "../../audit/events.ts";
import { type IconScheme, toIconId } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { AppServices } from "./manage-apps.ts";

export const ICON_SCHEMES: readonly IconScheme[] = ["light", "dark"];

export const MAX_ICON_BYTES: number = 512 * 1_024;

/** Says why an image cannot be an icon. */
export type IconProblem = "empty" | "too-large" | "type-unknown";

export type SetIconOutcome = { readonly kind: IconProblem | "no-app" | "set" };

/**
 * Sets the icon of an app. The content decides the type of the image, since browsers and people give
 * files any name.
 */
export async function setAppIcon(
  { store, appDirectory, record }: AppServices,
  id: string,
  scheme: IconScheme,
  image: Uint8Array,
): Promise<SetIconOutcome> {
  const recognized = recognizeIcon(image);
  if ("problem" in recognized) return { kind: recognized.problem };
  const body = Buffer.from(image).toString("base64");
  const icon = { id: toIconId(id, scheme), type: recognized.type, body };
  const isSet = await store.apps.setIcon(id, icon).finally(appDirectory.forget);
  if (!isSet) return { kind: "no-app" };
  await record(createAuditEvent("app_change", { name: id }));
  return { kind: "set" };
}

/** Removes the icon of an app for light or dark pages. */
export async function removeAppIcon(
  { store, appDirectory, record }: AppServices,
  id: string,
  scheme: IconScheme,
): Promise<"no-icon" | "removed"> {
  const removed = await store.apps.removeIcon(toIconId(id, scheme)).finally(appDirectory.forget);
  if (!removed) return "no-icon";
  await record(createAuditEvent("app_change", { name: id }));
  return "removed";
}

/** Lists the schemes for which an app has an icon. */
export async function listIconSchemes(
  apps: Pick<StoreParts["apps"], "listIconIds">,
  id: string,
): Promise<readonly IconScheme[]> {
  const ids = await apps.listIconIds();
  return ICON_SCHEMES.filter((scheme) => ids.includes(toIconId(id, scheme)));
}

/** Returns the type of an image by its content, or why the image cannot be an icon. */
export function recognizeIcon(
  image: Uint8Array,
): { readonly type: string } | { readonly problem: IconProblem } {
  if (image.length === 0) return { problem: "empty" };
  if (image.length > MAX_ICON_BYTES) return { problem: "too-large" };
  const bytes = Buffer.from(image.buffer, image.byteOffset, image.byteLength);
  const match = Object.entries(recognizers).find(([, matches]) => matches(bytes));
  return match === undefined ? { problem: "type-unknown" } : { type: match[0] };
}

const PNG = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

/** Each image format begins in its own way. */
const recognizers: Readonly<Record<string, (bytes: Buffer) => boolean>> = {
  "image/png": (bytes) => bytes.subarray(0, PNG.length).equals(PNG),
  "image/webp": (bytes) =>
    bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP",
  // The box of the file type names its major brand and the compatible brands.
  "image/avif": (bytes) =>
    bytes.toString("latin1", 4, 8) === "ftyp" &&
    /^(?:.{4})*?avi[fs]/s.test(bytes.toString("latin1", 8, Math.min(bytes.readUInt32BE(0), 64))),
  "image/svg+xml": isSvg,
};

/** Matches what can precede the root element of an SVG, one part at a time. */
const BEFORE_ROOT = /[\s\ufeff]+|<\?[^>]*>|<!--[\s\S]*?-->|<!DOCTYPE[^>[]*(?:\[[^\]]*\]\s*)?>/iy;

function isSvg(bytes: Buffer): boolean {
  const text = bytes.toString("utf8");
  BEFORE_ROOT.lastIndex = 0;
  let at = 0;
  while (BEFORE_ROOT.test(text)) at = BEFORE_ROOT.lastIndex;
  return /^<svg[\s/>]/.test(text.slice(at, at + "<svg>".length)) && !text.includes("\0");
}
