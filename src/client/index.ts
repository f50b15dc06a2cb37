// This file has no imports, so that a page can load it as it is. A test bounds its size.

/** Describes the signed-in user. */
export interface SessionUser {
  readonly id: string;
  readonly username: string;
  readonly groups: readonly string[];
  /** Contains the name that the person goes by, if the account has one. */
  readonly name?: string;
  /** True for a guest. */
  readonly guest?: true;
}

/** Says who is signed in. */
export type Session =
  /** The session ends at the time `until`, such as `2030-01-31T12:00:00.000Z`. */
  { readonly user: SessionUser; readonly until: string } | { readonly user: null };

/** Says why a request was refused. */
export type RefusalCode =
  /** The username, the password or the code is wrong, or a code is needed. */
  | "rejected"
  /** This address has tried too often. */
  | "rate_limited"
  /** There is no account yet. */
  | "needs_setup"
  /** Nobody is signed in. */
  | "sign_in_required"
  /** The session lacks a second factor. */
  | "second_factor_needed"
  /** A guest has no password. */
  | "no_access"
  | "field_missing"
  | "current_password_incorrect"
  | "new_passwords_differ"
  | "new_password_too_short"
  | "email_invalid"
  /** Only people with addresses at other domains can register. */
  | "domain_refused"
  /** These fields have values of another type. */
  | "wrong_type"
  /** The server is overloaded, or its database is away. */
  | "unavailable"
  /** The server failed. Its log says why, with the ID in the header `X-Request-Id`. */
  | "failed"
  /** The app does not send the request as Latchkey expects it. */
  | "cross_site"
  | "wrong_host"
  | "not_json"
  | "body_unreadable"
  | "method_not_allowed";

/** Says why a request was refused, and which fields to correct. */
export interface Refused {
  readonly error: RefusalCode;
  readonly fields?: readonly string[];
  /** Trying again makes sense after this number of seconds. */
  readonly retryAfter?: number;
  readonly user?: undefined;
  readonly sent?: undefined;
}

/** Contains the user after a sign-in or a new password. */
export interface Accepted {
  readonly user: SessionUser;
  readonly error?: undefined;
}

/** Confirms a sign-out. */
export interface SignedOut {
  readonly user: null;
  /** False if the server ends the session later. The browser has no session in any case. */
  readonly ended: boolean;
  readonly error?: undefined;
}

/**
 * Confirms a request for an account. A message is on its way to the address: the link to register,
 * or that there is an account.
 */
export interface SignUpSent {
  readonly sent: true;
  readonly error?: undefined;
}

/** Contains what a person enters to sign in. */
export interface SignInFields {
  readonly username: string;
  readonly password: string;
  /** Accounts with one-time codes need one, or a recovery code. */
  readonly code?: string | undefined;
  /** True if this browser needs no code for the next 30 days. */
  readonly rememberDevice?: boolean | undefined;
}

/** Contains what a person enters to change the password. */
export interface PasswordFields {
  readonly currentPassword: string;
  readonly newPassword: string;
  /** Must be the new password again. Leave it out if the form asks only once. */
  readonly confirmPassword?: string | undefined;
  /** True to end all other sessions of the user. */
  readonly endOthers?: boolean | undefined;
}

/** Contains what a person enters to ask for an account. */
export interface SignUpFields {
  readonly email: string;
}

/** Contains the options of `createClient`. */
export interface ClientOptions {
  /** Sets the option `basePath` of `createAuth`. Default: none. */
  readonly base?: string | undefined;
}

/**
 * Signs in and out from an app's own forms. Refusals are returned. A request that gets no answer of
 * Latchkey's rejects.
 */
export interface Client {
  signIn(fields: SignInFields): Promise<Accepted | Refused>;
  signOut(): Promise<SignedOut | Refused>;
  changePassword(fields: PasswordFields): Promise<Accepted | Refused>;
  /** Asks for an account. Needs the options `signIn.signUp` and `mail`. */
  signUp(fields: SignUpFields): Promise<SignUpSent | Refused>;
  /** Asks the server who is signed in. Rejects if the server refuses to say. */
  session(): Promise<Session>;
  /**
   * Calls the listener with the signed-in user, or `null`: once this is known, and after each
   * change. While there are listeners, it is asked again when the page becomes visible. Returns the
   * function that ends this. On a server, the listener is never called.
   */
  onChange(listener: (user: SessionUser | null) => void): () => void;
}

/** Contains what the server can answer. */
interface Answer {
  readonly user?: SessionUser | null;
  readonly sent?: boolean;
  readonly error?: string;
  readonly retryAfter?: number;
}

/** The library has no types of browsers. */
declare const document:
  | undefined
  | {
      readonly visibilityState: string;
      addEventListener(type: "visibilitychange", listener: () => void): void;
      removeEventListener(type: "visibilitychange", listener: () => void): void;
    };

/**
 * Creates a client for the pages of an app whose server has the option `api`.
 *
 * @example
 * ```ts
 * const client = createClient({ base: "/auth" });
 * const { user, error } = await client.signIn({ username, password });
 * ```
 */
export function createClient({ base = "" }: ClientOptions = {}): Client {
  const listeners = new Set<(user: SessionUser | null) => void>();
  let known: SessionUser | null | undefined;
  let changes = 0;

  async function call(path: string, fields?: object): Promise<Answer> {
    const response = await fetch(
      `${base}/api/${path}`,
      fields && {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(fields),
      },
    );
    const answer = (await response.json().catch(() => undefined)) as Answer | null | undefined;
    // A proxy, or the app without the option, has answered.
    if (!answer || (answer.user === undefined && !answer.sent && !answer.error)) {
      throw new Error(`latchkey: unexpected answer, status ${response.status}`);
    }
    const wait = response.headers.get("retry-after");
    return wait ? { ...answer, retryAfter: Number(wait) } : answer;
  }

  function publish(user: SessionUser | null): void {
    const isChange = JSON.stringify(user) !== JSON.stringify(known);
    known = user;
    if (isChange) for (const listener of listeners) listener(user);
  }

  /** Sends a form. What was asked before it ended can be older than its answer. */
  async function change<T>(path: string, fields: object): Promise<T> {
    const answer = await call(path, fields);
    const user = answer.error === "sign_in_required" ? null : answer.user;
    if (user !== undefined) {
      changes += 1;
      publish(user);
    }
    return answer as T;
  }

  async function session(): Promise<Session> {
    const before = changes;
    const answer = await call("session");
    if (answer.user === undefined) throw new Error(`latchkey: ${answer.error}`);
    if (before === changes) publish(answer.user);
    return answer as Session;
  }

  const refresh = (): void => void session().catch(() => {});
  const refreshVisible = (): void => {
    if (document?.visibilityState === "visible") refresh();
  };

  return {
    signIn: (fields) => change("sign-in", fields),
    signOut: () => change("sign-out", {}),
    changePassword: (fields) =>
      change("password", {
        ...fields,
        confirmPassword: fields.confirmPassword ?? fields.newPassword,
      }),
    signUp: (fields) => change("sign-up", fields),
    session,
    onChange(listener) {
      if (typeof document === "undefined") return () => {};
      // The same function can listen twice.
      const own = (user: SessionUser | null): void => listener(user);
      if (listeners.size === 0) {
        document.addEventListener("visibilitychange", refreshVisible);
        refresh();
      }
      listeners.add(own);
      if (known !== undefined) own(known);
      return () => {
        listeners.delete(own);
        if (listeners.size === 0) document?.removeEventListener("visibilitychange", refreshVisible);
      };
    },
  };
}
