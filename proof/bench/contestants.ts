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

/** Whether the first is the bare HTTP layer of the other. */
export const isBelow = ({ kind, on }: Contestant, other: Contestant): boolean =>
  kind === "bare" && on === other.on;

/** Whether it is an app with Latchkey, as opposed to a program. */
export const isLatchkeyApp = ({ kind, program }: Contestant): boolean =>
  kind === "latchkey" && program === undefined;

/** Those with the text in their name, and the HTTP layers that they are compared with. */
export function named(text: string, all: readonly Contestant[]): readonly Contestant[] {
  const found = all.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
  const layers = all.filter((one) => found.some((other) => isBelow(one, other)));
  const pages = all.filter((one) => isLatchkeyApp(one) && layers.some((own) => isBelow(own, one)));
  return all.filter((one) => [found, layers, pages].some((some) => some.includes(one)));
}

/** What nginx asks before it sends a file: nothing, its own password file, itself, or the gate. */
export type NginxGuard = "nginx" | "nginx-basic" | "nginx-ok" | "nginx-gate";

const HONO = ["hono", "@hono/node-server"];
const ARGON2 = "@node-rs/argon2";
const PASSPORT = ["express", "express-session", "passport", "passport-local", ARGON2];

/** Without a guard, and with Latchkey's pages byte for byte. Its sign-in is only the hash. */
const bare = {
  kind: "bare",
  origin: "latchkey",
  guarded: "/guarded",
  loginPage: "/login",
  ownPage: "/own",
} as const;
const latchkey = {
  kind: "latchkey",
  origin: "latchkey",
  guarded: "/guarded",
  signIn: latchkeySignIn,
  loginPage: "/login",
  ownPage: "/account",
} as const;
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
  packages: ["@node-rs/bcrypt"],
} as const;

/** Latchkey and the HTTP layers below it. */
export const own: readonly Contestant[] = [
  {
    ...bare,
    name: "bare node:http",
    on: "node:http",
    peer: "bare-node",
    packages: [ARGON2],
    signIn: latchkeySignIn,
  },
  {
    ...bare,
    name: "bare Hono",
    on: "Hono",
    peer: "bare-hono",
    packages: HONO,
  },
  {
    ...bare,
    name: "bare Express",
    on: "Express",
    peer: "bare-express",
    packages: ["express"],
  },
  {
    ...bare,
    name: "bare Fastify",
    on: "Fastify",
    peer: "bare-fastify",
    packages: ["fastify"],
  },
  {
    ...latchkey,
    name: "Latchkey on node:http",
    on: "node:http",
    peer: "latchkey-node",
    packages: ["latchkey"],
  },
  {
    ...latchkey,
    name: "Latchkey on Hono",
    on: "Hono",
    peer: "latchkey-hono",
    packages: ["latchkey", ...HONO],
  },
  {
    ...latchkey,
    name: "Latchkey on Express",
    on: "Express",
    peer: "latchkey-express",
    packages: ["latchkey", "express"],
  },
  {
    ...latchkey,
    name: "Latchkey on Fastify",
    on: "Fastify",
    peer: "latchkey-fastify",
    packages: ["latchkey", "fastify"],
  },
  {
    ...latchkey,
    name: "Latchkey, the gate",
    on: "node:http",
    peer: "latchkey-node",
    program: "gate",
    packages: ["latchkey"],
    guarded: "/forward-auth",
    ownPage: "/",
  },
];

/** What a proxy pays for a guard, whoever answers it. */
const behindNginx: readonly Contestant[] = [
  { ...nginx, kind: "bare", name: "bare nginx", peer: "nginx", program: "nginx" },
  {
    ...nginx,
    kind: "peer",
    name: "nginx, auth_basic with bcrypt",
    peer: "nginx",
    program: "nginx-basic",
  },
  {
    ...nginx,
    kind: "bare",
    name: "nginx, auth_request to a fixed 200",
    peer: "nginx",
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

export const contestants: readonly Contestant[] = [...own, ...libraries, ...behindNginx];
