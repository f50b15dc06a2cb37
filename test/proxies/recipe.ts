import assert from "node:assert/strict";
import { sectionOf, withPlaces } from "./examples.ts";
import { CLIENT, type ProxyServer } from "./site.ts";

/** The lines before which, or instead of which, the blocks of a recipe go. */
type Lines = Readonly<Record<string, readonly string[]>>;

const above = {
  caddy: ["\t\t\tforward_auth 127.0.0.1:3000 {\n"],
  haproxy: [
    "    http-request lua.forward-auth http://127.0.0.1:3000/forward-auth\n    http-request deny deny_status 503 unless { var(txn.admitted) -m bool }\n",
  ],
};

export type Recipe = "API paths" | "Local network without a sign-in";

const recipes: Readonly<Record<Recipe, Lines>> = {
  "API paths": { ...above, nginx: ["server {\n", "        internal;\n"] },
  "Local network without a sign-in": {
    ...above,
    nginx: [
      'map $user $admitted { default http://; "" ""; }\n',
      "        auth_request /latchkey-asks;\n",
    ],
  },
};

/** The code blocks of a recipe for one proxy, in order. */
function blocksOf(heading: Recipe, proxy: string): readonly string[] {
  const language = proxy === "caddy" ? "caddyfile" : proxy;
  const blocks = sectionOf("examples", heading).matchAll(
    new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"),
  );
  return [...blocks].map(([, block = ""]) => block);
}

/** Replaces the line by the block where the block repeats its beginning, otherwise puts it above. */
function insert(configuration: string, line: string, block: string): string {
  const replaces = /^\s*(map \$user|http-request lua)/.exec(line)?.[1];
  const isInstead = replaces !== undefined && block.includes(replaces);
  return withPlaces(configuration, { [line]: isInstead ? block : `${block}${line}` });
}

/** The proxy, with the recipe in its configuration for one host. CLIENT is the local network. */
export function withRecipe(proxy: ProxyServer, heading: Recipe): ProxyServer {
  return {
    page: proxy.page,
    start(t, configuration, places) {
      const blocks = blocksOf(heading, proxy.page);
      const targets = recipes[heading][proxy.page] ?? [];
      assert.equal(blocks.length, targets.length);
      const edited = blocks.reduce(
        (text, block, at) => insert(text, targets[at] ?? "", block),
        configuration,
      );
      return proxy.start(t, edited.replaceAll("192.168.1.0/24", `${CLIENT}/32`), places);
    },
  };
}
