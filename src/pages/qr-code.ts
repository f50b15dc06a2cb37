import { encode } from "uqr";

/** Scanners need this space around the code. The unit is modules. */
const MARGIN = 4;

/** Describes a drawing for SVG. */
export interface QrCode {
  /** The drawing has this width and height in modules. */
  readonly width: number;
  /** Draws the dark modules of each row as lines of width 1. */
  readonly path: string;
}

export function createQrCode(text: string): QrCode {
  const { size, data } = encode(text, { ecc: "L", border: MARGIN });
  const lines = data.flatMap((row, y) => {
    const modules = row.map((dark) => (dark ? "1" : "0")).join("");
    return Array.from(
      modules.matchAll(/1+/g),
      ({ 0: run, index }) => `M${index} ${y}h${run.length}`,
    );
  });
  return { width: size, path: lines.join("") };
}
