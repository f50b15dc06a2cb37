/**
 * Caches at most `capacity` entries (2 or more) and keeps at least the recently used half. Most
 * hits are in the young one of two generations and change nothing, unlike with an order of use.
 * When the young generation is full, it replaces the old one.
 */
export interface BoundedMemory<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): void;
  delete(key: K): void;
  values(): readonly V[];
  readonly size: number;
}

export function createBoundedMemory<K, V>(capacity: number): BoundedMemory<K, V> {
  const perGeneration = Math.floor(capacity / 2);
  let young = new Map<K, V>();
  let old = new Map<K, V>();

  function set(key: K, value: V): void {
    if (young.size >= perGeneration && !young.has(key)) {
      old = young;
      young = new Map();
    }
    old.delete(key);
    young.set(key, value);
  }

  return {
    get(key) {
      const value = young.get(key);
      if (value !== undefined) return value;
      const older = old.get(key);
      if (older !== undefined) set(key, older);
      return older;
    },
    set,
    delete(key) {
      young.delete(key);
      old.delete(key);
    },
    values: () => [...young.values(), ...old.values()],
    get size() {
      return young.size + old.size;
    },
  };
}

/** Returns the same function, which computes a result again only if it is not among those kept. */
export function memoize<K, V extends string | boolean>(
  capacity: number,
  compute: (key: K) => V,
): (key: K) => V {
  const known = createBoundedMemory<K, V>(capacity);
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const result = compute(key);
    known.set(key, result);
    return result;
  };
}
