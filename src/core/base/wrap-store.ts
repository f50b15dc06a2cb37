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

type Method = (...given: readonly unknown[]) => unknown;

/** Returns the same store, of which `around` makes each call, under a name such as `users.find`. */
export function wrapStore<S extends Store>(
  store: S,
  around: (operation: string, call: () => unknown) => unknown,
): S {
  const wrapped = { ...store };
  for (const name of PARTS) {
    const part = store[name] as Readonly<Record<string, Method>> | undefined;
    if (part === undefined) continue;
    const methods = Object.keys(part).map((method): [string, Method] => [
      method,
      (...given) => around(`${name}.${method}`, () => part[method]?.(...given)),
    ]);
    Object.assign(wrapped, { [name]: Object.fromEntries(methods) });
  }
  return wrapped;
}
