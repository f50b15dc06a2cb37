/**
 * Version 6 with error correction level L: room for 134 bytes, the largest version without further
 * version bits, and two blocks of the same size. Each code has this size, and mask 0.
 */
const SIZE = 41;
const ALIGNMENT = 34;
const BLOCKS = 2;
const DATA_BYTES = 136;
const CORRECTION_BYTES = 18;
/** Level L and mask 0 with their check bits, as the standard lists them. */
const FORMAT = 0b111_0111_1100_0100;

/** The length and the end of the text take two bytes. */
export const MAX_QR_BYTES: number = DATA_BYTES - 2;

/** Space around the code that scanners need, in modules. */
const MARGIN = 4;

/** The width of the drawing in modules, with the margin. */
export const QR_WIDTH: number = SIZE + 2 * MARGIN;

/**
 * The dark modules of a QR code as an SVG path: one line of width 1 through the middle of each row.
 *
 * @param text ASCII of at most `MAX_QR_BYTES`.
 */
export function qrPath(text: string): string {
  const codewords = codewordsOf(text);
  const modules = Array.from({ length: SIZE }, (_, y) =>
    Array.from({ length: SIZE }, (_, x) => isPatternDark(x, y)),
  );
  let bit = 0;
  for (const [x, y] of dataPlaces()) {
    const isSet = (((codewords[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1;
    bit += 1;
    // Mask 0 inverts every other module.
    const row = modules[y];
    if (row !== undefined) row[x] = isSet !== ((x + y) % 2 === 0);
  }
  return modules.map((row, y) => `M${MARGIN} ${y + MARGIN}${lineOf(row)}`).join("");
}

/** Short, since the page has it inline: `h` draws modules that are dark, `m` skips others. */
function lineOf(row: readonly boolean[]): string {
  const runs =
    row
      .map((dark) => (dark ? "1" : "0"))
      .join("")
      .match(/1+|0+/g) ?? [];
  return runs.map((run) => (run[0] === "1" ? `h${run.length}` : `m${run.length} 0`)).join("");
}

/** Text and error correction, with the bytes of both blocks in turn. */
function codewordsOf(text: string): readonly number[] {
  const bytes = Buffer.from(text, "latin1");
  // Byte mode, then the length, then the text, each shifted by the four bits of the mode.
  const hex = `4${bytes.length.toString(16).padStart(2, "0")}${bytes.toString("hex")}0`;
  const data = [...Buffer.from(hex, "hex")];
  for (let pad = 0xec; data.length < DATA_BYTES; pad ^= 0xec ^ 0x11) data.push(pad);
  const perBlock = DATA_BYTES / BLOCKS;
  const blocks = Array.from({ length: BLOCKS }, (_, i) =>
    data.slice(i * perBlock, (i + 1) * perBlock),
  );
  return [...inTurn(blocks), ...inTurn(blocks.map(correctionOf))];
}

const inTurn = (blocks: readonly (readonly number[])[]): readonly number[] =>
  (blocks[0] ?? []).flatMap((_, i) => blocks.map((block) => block[i] ?? 0));

/** Multiplication in the field of 256 elements that QR codes use. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    product ^= ((b >> bit) & 1) * a;
  }
  return product;
}

/** The Reed-Solomon remainder of a block. */
function correctionOf(block: readonly number[]): readonly number[] {
  const divisor = generator();
  let remainder = Array.from({ length: CORRECTION_BYTES }, () => 0);
  for (const byte of block) {
    const factor = byte ^ (remainder[0] ?? 0);
    const shifted = [...remainder.slice(1), 0];
    remainder = shifted.map((value, i) => value ^ multiply(divisor[i] ?? 0, factor));
  }
  return remainder;
}

/** The product of (x - 2^i), without its leading 1. */
function generator(): readonly number[] {
  let polynomial = [1];
  let root = 1;
  for (let i = 0; i < CORRECTION_BYTES; i += 1) {
    const factor = root;
    const times = polynomial.map((value) => multiply(value, factor));
    polynomial = [...polynomial, 0].map((value, at) => value ^ (times[at - 1] ?? 0));
    root = multiply(root, 2);
  }
  return polynomial.slice(1);
}

/** The modules that carry data, in their order: upwards and downwards in pairs of columns. */
function* dataPlaces(): Iterable<readonly [x: number, y: number]> {
  for (let pair = 0; pair < (SIZE - 1) / 2; pair += 1) {
    const right = SIZE - 1 - 2 * pair;
    // The column of the timing pattern is left out.
    const from = right > 6 ? right : right - 1;
    for (let step = 0; step < SIZE; step += 1) {
      const y = pair % 2 === 0 ? SIZE - 1 - step : step;
      for (const x of [from, from - 1]) if (!isReserved(x, y)) yield [x, y];
    }
  }
}

const distance = (x: number, y: number, centerX: number, centerY: number): number =>
  Math.max(Math.abs(x - centerX), Math.abs(y - centerY));

function isReserved(x: number, y: number): boolean {
  const byTop = y < 9 && (x < 9 || x >= SIZE - 8);
  const byBottom = y >= SIZE - 8 && x < 9;
  return byTop || byBottom || x === 6 || y === 6 || distance(x, y, ALIGNMENT, ALIGNMENT) <= 2;
}

/** The color of modules that carry no data. */
function isPatternDark(x: number, y: number): boolean {
  const last = SIZE - 4;
  const finder = Math.min(distance(x, y, 3, 3), distance(x, y, last, 3), distance(x, y, 3, last));
  if (finder <= 4) return finder !== 2 && finder !== 4;
  const alignment = distance(x, y, ALIGNMENT, ALIGNMENT);
  if (alignment <= 2) return alignment !== 1;
  if (x === 6 || y === 6) return (x + y) % 2 === 0;
  return isFormatDark(x, y);
}

/** Both copies of the format: around the first corner, and split between the other two. */
function isFormatDark(x: number, y: number): boolean {
  if (x === 8 && y === SIZE - 8) return true;
  const bit = (at: number): boolean => ((FORMAT >> at) & 1) === 1;
  if (x === 8 && y < 9) return bit(y < 6 ? y : y - 1);
  if (y === 8 && x < 9) return bit(x === 7 ? 8 : 14 - x);
  if (y === 8 && x >= SIZE - 8) return bit(SIZE - 1 - x);
  if (x === 8 && y > SIZE - 8) return bit(y - SIZE + 15);
  return false;
}
