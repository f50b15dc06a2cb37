/** A promise that was not kept. */
export class Violation extends Error {}

export function promise(isKept: boolean, otherwise: string): asserts isKept {
  if (!isKept) throw new Violation(otherwise);
}
