import type { Origin } from "./peers-install.ts";
import {
  authJsSignIn,
  betterAuthSignIn,
  latchkeySignIn,
  passportSignIn,
  type SignIn,
} from "./peers-wire.ts";

export type Layer = "node:http" | "Hono" | "Express";

/** A library under measurement, its packages and its requests. */
export interface Contestant {
  readonly name: string;
  readonly kind: "bare" | "latchkey" | "peer";
  /** The HTTP layer below it. */
  readonly on: Layer;
  /** The file under `peers`. */
  readonly peer: string;
  /** The command, if it is a program. */
  readonly command?: readonly string[];
  readonly origin: Origin;
  readonly packages: readonly string[];
  /** The path of the page that needs a session, or of the forward-auth response. */
  readonly guarded: string;
  readonly signIn?: SignIn;
  /** The sign-in page, if it has one. */
  readonly loginPage?: string;
  /** The account page, if it has one. */
  readonly ownPage?: string;
  /** For a bare HTTP layer: the contestant whose pages it serves. */
  readonly recorded?: string;
}

const HONO = ["hono", "@hono/node-server"];
const ARGON2 = "@node-rs/argon2";
const PASSPORT = ["express", "express-session", "passport", "passport-local", ARGON2];

/** Serves Latchkey's pages, byte for byte. */
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

export const contestants: readonly Contestant[] = [
  {
    ...bare,
    name: "bare node:http",
    on: "node:http",
    peer: "bare-node",
    packages: [],
    recorded: "Latchkey on node:http",
  },
  {
    ...bare,
    name: "bare Hono",
    on: "Hono",
    peer: "bare-hono",
    packages: HONO,
    recorded: "Latchkey, the gate",
  },
  {
    ...bare,
    name: "bare Express",
    on: "Express",
    peer: "bare-express",
    packages: ["express"],
    recorded: "Latchkey on Express",
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
    name: "Latchkey, the gate",
    on: "Hono",
    peer: "latchkey-node",
    command: ["node_modules/latchkey/dist/cli/main.js", "serve"],
    packages: ["latchkey"],
    guarded: "/forward-auth",
    ownPage: "/",
  },
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
