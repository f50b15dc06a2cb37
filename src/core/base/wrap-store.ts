import type { Store } from "../store.ts";

/** The compiler checks that no part is missing here, whose calls would pass by. */
const PARTS = Object.keys({
  users: true,
  log: true,
  sessions: true,
  passkeys: true,
  codes: true,
  devices: true,
  people: true,
  links: true,
  keys: true,
  attempts: true,
} satisfies Record<keyof Store, true>) as readonly (keyof Store)[];

/** The names under which `wrapStore` makes the calls of this store. */
export const operationsOf = (store: Store): readonly string[] =>
  PARTS.flatMap((name) => Object.keys(store[name] ?? {}).map((method) => `${name}.${method}`));

/**
 * Returns the same store, of which `around` makes each call, under a name such as `users.find`. What
 * it has beside its parts stays as it is.
 */
export function wrapStore<S extends Store>(
  store: S,
  around: (operation: string, call: () => unknown) => unknown,
): S {
  const wrapped: S = Object.create(store);
  for (const name of PARTS) {
    const part = store[name];
    if (part === undefined) continue;
    // Not of the part itself: if it is frozen, a proxy must return its methods as they are.
    const value = new Proxy<object>(Object.create(part), {
      get(_, method) {
        const work: unknown = Reflect.get(part, method);
        if (typeof work !== "function") return work;
        return (...given: unknown[]) =>
          around(`${name}.${String(method)}`, () => Reflect.apply(work, part, given));
      },
    });
    Object.defineProperty(wrapped, name, { value, enumerable: true });
  }
  return wrapped;
}
