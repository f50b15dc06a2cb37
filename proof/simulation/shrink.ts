/**
 * The parts without which it no longer fails: leaves out halves, then quarters, and so on, as long as
 * the rest still fails.
 */
export async function shrink<Part>(
  parts: readonly Part[],
  fails: (rest: readonly Part[]) => Promise<boolean>,
): Promise<readonly Part[]> {
  let rest = parts;
  for (let size = Math.ceil(parts.length / 2); size >= 1; ) {
    const before = rest.length;
    for (let at = 0; at < rest.length; ) {
      const shorter = [...rest.slice(0, at), ...rest.slice(at + size)];
      if (await fails(shorter)) rest = shorter;
      else at += size;
    }
    if (size > 1) size = Math.ceil(size / 2);
    else if (rest.length === before) break;
  }
  return rest;
}
