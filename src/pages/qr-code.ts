import { encode } from "uqr";

/** Space around the code that scanners need, in modules. */
const MARGIN = 4;

/** A drawing as SVG. */
export interface QrCode {
  /** Width and height in modules. */
  readonly width: number;
  /** The dark modules of each row, as lines of width 1. */
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
