/**
 * The parts of each peer's API that are used here. The packages are installed only for a run of the
 * benchmark, so the type check cannot use their own types.
 */
declare module "better-auth" {
  export interface BetterAuth {
    readonly options: object;
    readonly api: {
      signUpEmail(call: { body: { name: string; email: string; password: string } }): Promise<void>;
      getSession(call: { headers: Headers }): Promise<{ user: { name: string } } | null>;
      getSession(call: { headers: Headers; returnHeaders: true }): Promise<{ headers: Headers }>;
    };
    readonly $context: Promise<{
      readonly authCookies: { readonly sessionToken: { readonly name: string } };
      readonly internalAdapter: {
        findUserByEmail(email: string): Promise<{ user: { id: string } } | null>;
        createUser(user: {
          name: string;
          email: string;
          emailVerified: boolean;
        }): Promise<{ id: string }>;
        createSession(userId: string): Promise<{ token: string }>;
      };
    }>;
  }
  export function betterAuth(options: {
    readonly database: import("node:sqlite").DatabaseSync;
    readonly secret: string;
    readonly baseURL: string;
    readonly emailAndPassword: { readonly enabled: boolean; readonly disableSignUp: boolean };
    readonly session?: { cookieCache: { readonly enabled: boolean; readonly maxAge: number } };
  }): BetterAuth;
}

declare module "better-auth/db/migration" {
  export function getMigrations(options: object): Promise<{ runMigrations(): Promise<void> }>;
}

declare module "better-auth/node" {
  export function fromNodeHeaders(headers: import("node:http").IncomingHttpHeaders): Headers;
  export function toNodeHandler(
    auth: object,
  ): (
    request: import("node:http").IncomingMessage,
    response: import("node:http").ServerResponse,
  ) => Promise<void>;
}

declare module "express-session" {
  export interface SessionStore {
    set(id: string, session: object, done: (error?: unknown) => void): void;
  }
  interface Session {
    (options: object): import("express").RequestHandler;
    MemoryStore: new () => SessionStore;
  }
  export const MemoryStore: new () => SessionStore;
  const session: Session;
  export default session;
}

declare module "better-sqlite3-session-store" {
  type Store = import("express-session").SessionStore;
  export default function sqliteStore(session: object): new (options: object) => Store;
}

declare module "passport" {
  export type Done = (error: unknown, value?: unknown) => void;
  type Handler = import("express").RequestHandler;
  const passport: {
    use(strategy: object): void;
    session(): Handler;
    authenticate(
      strategy: string,
      options: { readonly successRedirect: string; readonly failureRedirect: string },
    ): Handler;
    serializeUser<User>(turn: (user: User, done: Done) => void): void;
    deserializeUser<User>(turn: (user: User, done: Done) => void): void;
  };
  export default passport;
}

declare module "passport-local" {
  type Done = (error: unknown, user?: unknown) => void;
  export class Strategy {
    constructor(verify: (username: string, password: string, done: Done) => void);
  }
}

declare module "iron-session" {
  export function getIronSession<Session>(
    request: import("node:http").IncomingMessage,
    response: import("node:http").ServerResponse,
    options: { readonly password: string; readonly cookieName: string },
  ): Promise<Session>;
  export function sealData(data: object, options: { readonly password: string }): Promise<string>;
}

declare module "@auth/core/jwt" {
  export function encode(what: {
    readonly token: object;
    readonly secret: string;
    readonly salt: string;
  }): Promise<string>;
}

declare module "@auth/express" {
  export interface AuthConfig {
    readonly secret: string;
    readonly trustHost: boolean;
    readonly session: { readonly strategy: "jwt" };
    readonly providers: readonly object[];
  }
  export function ExpressAuth(config: AuthConfig): import("express").RequestHandler;
  export function getSession(
    request: import("express").Request,
    config: AuthConfig,
  ): Promise<{ user: { name: string } } | null>;
}

declare module "@auth/express/providers/credentials" {
  export default function Credentials(options: {
    readonly credentials: object;
    authorize(given: Record<string, unknown>): Promise<{ id: string; name: string } | null>;
  }): object;
}
