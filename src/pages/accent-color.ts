const BLACK: Color = [0, 0, 0];
const WHITE: Color = [255, 255, 255];

/** These are the backgrounds of links, as in the style sheet. */
const CARD: Readonly<Record<Scheme, Color>> = { light: WHITE, dark: [33, 35, 38] };

/** WCAG level AA requires at least this contrast. */
const MIN_CONTRAST = 4.5;
const STEPS = 100;

type Color = readonly [red: number, green: number, blue: number];
type Scheme = "light" | "dark";

/**
 * Contains the original colour, the colour of text on it, and the shades for links and lines on the
 * card.
 */
export type Accent = Readonly<Record<"brand" | "onBrand" | Scheme, string>>;

export const DEFAULT_ACCENT = "#1a5fb4";

/** Returns whether the text is a colour such as `#1a5fb4` or `#15b`. */
export const isColor = (text: string): boolean => /^#([\da-f]{3}|[\da-f]{6})$/i.test(text);

/**
 * Creates the colours. The shades are adjusted for contrast as little as possible. For text on the
 * colour, black or white always has enough contrast.
 */
export function createAccent(text: string): Accent {
  const color = parseColor(text);
  const isDark = computeContrast(color, WHITE) >= computeContrast(color, BLACK);
  const [light, dark] = [makeLegible(color, "light"), makeLegible(color, "dark")];
  return { brand: formatColor(color), onBrand: formatColor(isDark ? WHITE : BLACK), light, dark };
}

function makeLegible(color: Color, scheme: Scheme): string {
  const end = scheme === "light" ? 0 : 255;
  for (let step = 0; step <= STEPS; step += 1) {
    const mixed = mixColor(color, end, step / STEPS);
    if (computeContrast(mixed, CARD[scheme]) >= MIN_CONTRAST) return formatColor(mixed);
  }
  return formatColor([end, end, end]);
}

function parseColor(text: string): Color {
  const digits = text.length === 4 ? text.replace(/[\da-f]/gi, "$&$&") : text;
  const readChannel = (at: number): number => Number.parseInt(digits.slice(at, at + 2), 16);
  return [readChannel(1), readChannel(3), readChannel(5)];
}

function mixColor([red, green, blue]: Color, end: number, share: number): Color {
  const mixChannel = (from: number): number => Math.round(from + (end - from) * share);
  return [mixChannel(red), mixChannel(green), mixChannel(blue)];
}

const formatColor = (color: Color): string =>
  `#${color.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;

/** Computes the contrast ratio as WCAG 2 defines it, from 1 to 21. */
function computeContrast(one: Color, other: Color): number {
  const [a, b] = [computeLuminance(one), computeLuminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function computeLuminance([red, green, blue]: Color): number {
  const toLinear = (channel: number): number => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * toLinear(red) + 0.7152 * toLinear(green) + 0.0722 * toLinear(blue);
}
