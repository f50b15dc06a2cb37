import { registerHooks } from "node:module";

/**
 * Imported by `--import` into tests whose subject is not the cost of a hash: most of the time of a
 * sign-in is its hash. What it computes is argon2id as always, with the least memory and one pass.
 */
const PASSWORDS = new URL("../../src/identity/passwords.ts", import.meta.url).href;
const COST = "memoryCost: 19_456, timeCost: 2,";
const LEAST = "memoryCost: 8, timeCost: 1,";

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (url !== PASSWORDS) return loaded;
    const source = String(loaded.source);
    if (!source.includes(COST)) throw new Error(`${url} does not have ${COST}`);
    return { ...loaded, source: source.replace(COST, LEAST) };
  },
});
