/**
 * Remembers at most `capacity` values (2 or more), the recently used half of them for sure.
 *
 * Two generations instead of a list in order of use: a hit in the young one changes nothing, which
 * is what most hits on the hot path are; when the young one is full, the old one is forgotten.
 */
export interface BoundedMemory<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): void;
  delete(key: K): void;
  keys(): readonly K[];
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
    keys: () => [...young.keys(), ...old.keys()],
    get size() {
      return young.size + old.size;
    },
  };
}
