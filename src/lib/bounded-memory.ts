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
