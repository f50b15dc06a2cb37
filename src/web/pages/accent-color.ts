const BLACK: Color = [0, 0, 0];
const WHITE: Color = [255, 255, 255];

/** The background of links, as in the style sheet. */
const CARD: Readonly<Record<Scheme, Color>> = { light: WHITE, dark: [33, 35, 38] };

/** The minimum of WCAG, level AA. */
const MIN_CONTRAST = 4.5;
const STEPS = 100;

type Color = readonly [red: number, green: number, blue: number];
type Scheme = "light" | "dark";

/** The colour as given, the text on it, and the shades for links and lines on the card. */
export type Accent = Readonly<Record<"brand" | "onBrand" | Scheme, string>>;

export const DEFAULT_ACCENT = "#1a5fb4";

/** `#1a5fb4` or `#15b`. */
export const isColor = (text: string): boolean => /^#([\da-f]{3}|[\da-f]{6})$/i.test(text);

/**
 * The shades are adjusted for contrast as little as possible. Black or white contrasts enough with
 * any colour.
 */
export function accentFrom(text: string): Accent {
  const color = parse(text);
  const isDark = contrast(color, WHITE) >= contrast(color, BLACK);
  const [light, dark] = [legible(color, "light"), legible(color, "dark")];
  return { brand: format(color), onBrand: format(isDark ? WHITE : BLACK), light, dark };
}

function legible(color: Color, scheme: Scheme): string {
  const end = scheme === "light" ? 0 : 255;
  for (let step = 0; step <= STEPS; step += 1) {
    const mixed = mix(color, end, step / STEPS);
    if (contrast(mixed, CARD[scheme]) >= MIN_CONTRAST) return format(mixed);
  }
  return format([end, end, end]);
}

function parse(text: string): Color {
  const digits = text.length === 4 ? text.replace(/[\da-f]/gi, "$&$&") : text;
  const channel = (at: number): number => Number.parseInt(digits.slice(at, at + 2), 16);
  return [channel(1), channel(3), channel(5)];
}

function mix([red, green, blue]: Color, end: number, share: number): Color {
  const towards = (from: number): number => Math.round(from + (end - from) * share);
  return [towards(red), towards(green), towards(blue)];
}

const format = (color: Color): string =>
  `#${color.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;

/** The contrast ratio as WCAG 2 defines it: from 1 to 21. */
function contrast(one: Color, other: Color): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function luminance([red, green, blue]: Color): number {
  const linear = (channel: number): number => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
