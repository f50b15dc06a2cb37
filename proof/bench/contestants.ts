import type { Origin } from "./install.ts";
import {
  authJsSignIn,
  betterAuthSignIn,
  latchkeySignIn,
  passportSignIn,
  type SignIn,
} from "./wire.ts";

export type Layer = "node:http" | "Hono" | "Express" | "Fastify" | "nginx";

/** What is measured: an app with a library, a bare HTTP layer or a program. */
export interface Contestant {
  readonly name: string;
  readonly kind: "bare" | "latchkey" | "peer";
  /** The HTTP layer below it. */
  readonly on: Layer;
  /** The file under `peers` that creates its data, and serves it unless there is a program. */
  readonly peer: string;
  readonly program?: "gate" | NginxGuard;
  readonly origin: Origin;
  readonly packages: readonly string[];
  /** The path of the page that needs a session, or of the forward-auth response. */
  readonly guarded: string;
  readonly signIn?: SignIn;
  /** The sign-in page, if it has one. */
  readonly loginPage?: string;
  /** The account page, if it has one. */
  readonly ownPage?: string;
}

/** Whether the first contestant is the bare HTTP layer of the second. */
export const isBelow = ({ kind, on }: Contestant, other: Contestant): boolean =>
  kind === "bare" && on === other.on;

/** Whether it is an app with Latchkey, as opposed to a program. */
export const isLatchkeyApp = ({ kind, program }: Contestant): boolean =>
  kind === "latchkey" && program === undefined;

/** The contestants with the text in their name, and the HTTP layers to compare them with. */
export function named(text: string, among: readonly Contestant[]): readonly Contestant[] {
  const found = among.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
  const layers = among.filter((one) => found.some((other) => isBelow(one, other)));
  const pages = among.filter(
    (one) => isLatchkeyApp(one) && layers.some((own) => isBelow(own, one)),
  );
  return among.filter((one) => [found, layers, pages].some((some) => some.includes(one)));
}

/** What nginx asks before it sends a file: nothing, its own password file, itself, or the gate. */
export type NginxGuard = "nginx" | "nginx-basic" | "nginx-ok" | "nginx-gate";

const ARGON2 = "@node-rs/argon2";
const PASSPORT = ["express", "express-session", "passport", "passport-local", ARGON2];

const layers = [
  { on: "node:http", file: "node", packages: [] },
  { on: "Hono", file: "hono", packages: ["hono", "@hono/node-server"] },
  { on: "Express", file: "express", packages: ["express"] },
  { on: "Fastify", file: "fastify", packages: ["fastify"] },
] as const;

/** Without a guard, and with Latchkey's pages byte for byte. */
const bare = layers.map(
  ({ on, file, packages }): Contestant => ({
    name: `bare ${on}`,
    kind: "bare",
    on,
    peer: `bare-${file}`,
    origin: "latchkey",
    // The sign-in is only the hash.
    ...(on === "node:http" && { signIn: latchkeySignIn }),
    packages: on === "node:http" ? [ARGON2] : packages,
    guarded: "/guarded",
    loginPage: "/login",
    ownPage: "/own",
  }),
);

const apps = layers.map(
  ({ on, file, packages }): Contestant => ({
    name: `Latchkey on ${on}`,
    kind: "latchkey",
    on,
    peer: `latchkey-${file}`,
    origin: "latchkey",
    packages: ["latchkey", ...packages],
    guarded: "/guarded",
    signIn: latchkeySignIn,
    loginPage: "/login",
    ownPage: "/account",
  }),
);

const gate: Contestant = {
  name: "Latchkey, the gate",
  kind: "latchkey",
  on: "node:http",
  peer: "latchkey-node",
  program: "gate",
  origin: "latchkey",
  packages: ["latchkey"],
  guarded: "/forward-auth",
  signIn: latchkeySignIn,
  loginPage: "/login",
  ownPage: "/",
};

/** Latchkey and the HTTP layers below it. */
export const own: readonly Contestant[] = [...bare, ...apps, gate];

const peer = { kind: "peer", origin: "peers", guarded: "/guarded" } as const;
const betterAuth = {
  ...peer,
  on: "node:http",
  packages: ["better-auth"],
  signIn: betterAuthSignIn,
} as const;
const passport = { ...peer, on: "Express", signIn: passportSignIn } as const;
const nginx = {
  on: "nginx",
  origin: "latchkey",
  guarded: "/guarded",
  peer: "nginx",
  packages: ["@node-rs/bcrypt"],
} as const;

/** The cost of a guard for a proxy, by what answers it. */
const behindNginx: readonly Contestant[] = [
  { ...nginx, kind: "bare", name: "bare nginx", program: "nginx" },
  {
    ...nginx,
    kind: "peer",
    name: "nginx, auth_basic with bcrypt",
    program: "nginx-basic",
  },
  {
    ...nginx,
    kind: "bare",
    name: "nginx, auth_request to a fixed 200",
    program: "nginx-ok",
  },
  {
    ...nginx,
    kind: "latchkey",
    name: "nginx, auth_request to Latchkey",
    peer: "latchkey-node",
    program: "nginx-gate",
    packages: ["latchkey"],
  },
];

const libraries: readonly Contestant[] = [
  { ...betterAuth, name: "better-auth", peer: "better-auth-plain" },
  { ...betterAuth, name: "better-auth, cookie cache", peer: "better-auth-cookie-cache" },
  { ...passport, name: "passport, memory", peer: "passport-memory", packages: PASSPORT },
  {
    ...passport,
    name: "passport, SQLite",
    peer: "passport-sqlite",
    packages: [...PASSPORT, "better-sqlite3-session-store"],
  },
  {
    ...peer,
    name: "iron-session",
    on: "node:http",
    peer: "iron-session",
    packages: ["iron-session"],
  },
  {
    ...peer,
    name: "Auth.js",
    on: "Express",
    peer: "auth-js",
    packages: ["@auth/express", "@auth/core", "express", ARGON2],
    signIn: authJsSignIn,
    loginPage: "/auth/signin",
  },
];

const all = [...own, ...libraries, ...behindNginx];

/** By HTTP layer, so that comparable contestants are adjacent. */
export const contestants: readonly Contestant[] = [
  ...Map.groupBy(all, ({ on }) => on).values(),
].flat();
