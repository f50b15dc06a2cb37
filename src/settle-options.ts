import { canShareCookies } from "./http/location.ts";
import { isTaken } from "./http/paths.ts";
import { findProvider } from "./identity/providers.ts";
import { findWeakSecrets, type WeakSecret } from "./identity/secrets.ts";
import { DEVELOPMENT_SECRET } from "./identity/session-token.ts";
import { createBoundedLog } from "./lib/bounded-log.ts";
import { Fault } from "./lib/fault.ts";
import { checkOptions, createOptionFault } from "./lib/options.ts";
import { findPublicSuffixProblem } from "./lib/public-suffix.ts";
import { createSafeLog, type ServerLog } from "./lib/server-log.ts";
import type { AuthOptions, SettledOptions } from "./options.ts";
import { optionTable } from "./options.ts";

/** Contains the names that messages use for the secrets. */
export type SecretNames = Readonly<Record<WeakSecret["which"], string>>;

const OPTION_NAMES: SecretNames = {
  secret: "the option secret",
  previousSecrets: "the option previousSecrets",
};

/** Contains the checked options, with the secret and the log as the caller passed them. */
type CheckedOptions = Omit<SettledOptions, "secret" | "log"> &
  Pick<AuthOptions, "secret"> & {
    readonly log: ServerLog;
  };

/**
 * Completes, checks, copies and freezes the options, and limits the log. Nothing else writes to the
 * log that the caller passed.
 *
 * @throws {Fault} `invalid_option` or `guessable_secret`.
 */
export function settleOptions(
  options: AuthOptions,
  nodeEnv?: string,
  names: SecretNames = OPTION_NAMES,
): SettledOptions {
  const takes = "createAuth takes an object with store and secret";
  const checked = checkOptions<CheckedOptions>(optionTable, options, takes);
  requireSharedLimiter(checked);
  if (isTaken(checked.basePath, checked.homePath ?? ""))
    throw createOptionFault(`homePath cannot be ${checked.homePath}: this path is Latchkey's own`);
  const { publicUrl, cookieDomain } = checked.hosts;
  if (checked.signIn.with.length > 0 && publicUrl === undefined)
    throw createOptionFault("signIn.with needs hosts.publicUrl, to which providers lead back");
  const { signIn, mail } = checked;
  const { first } = signIn;
  if (first !== undefined && findProvider(signIn.with, first) === undefined)
    throw createOptionFault("signIn.first is not the name of a provider in signIn.with");
  if (signIn.signUp.mode !== "off" && signIn.with.length === 0 && mail === undefined)
    throw createOptionFault("signIn.signUp needs mail, which verifies addresses, or signIn.with");
  if (checked.mail !== undefined && publicUrl === undefined)
    throw createOptionFault("mail needs hosts.publicUrl, with which the links in messages begin");
  if (!canShareCookies(publicUrl, cookieDomain)) {
    throw createOptionFault(
      "hosts.publicUrl must be at or below hosts.cookieDomain, or browsers reject the cookie",
    );
  }
  const suffix = cookieDomain && findPublicSuffixProblem(cookieDomain);
  if (suffix) throw createOptionFault(`hosts.cookieDomain is invalid: ${suffix}`);
  const secret = checked.secret || DEVELOPMENT_SECRET;
  const weak = findWeakSecrets({ ...checked, secret });
  const [refused] = nodeEnv === "production" ? weak : [];
  if (refused !== undefined) {
    throw new Fault("guessable_secret", explainSecretRefusal(refused, IN_PRODUCTION, names));
  }
  const log = createSafeLog(checked.log);
  if (secret === DEVELOPMENT_SECRET) log.warn({}, describeMissingSecret(names.secret));
  else for (const weakSecret of weak) log.warn({}, describeGuessableSecret(weakSecret));
  return Object.freeze({ ...checked, secret, log: createBoundedLog(log) });
}

function requireSharedLimiter({ store, signIn }: CheckedOptions): void {
  if (signIn.limiter === "shared" && !store.attempts)
    throw createOptionFault("signIn.limiter takes shared only with a store of openPostgres");
}

export const IN_PRODUCTION = "when NODE_ENV is production";

/** Explains why a secret is refused and what to do. `when` completes "AUTH_SECRET is refused …". */
export function explainSecretRefusal(
  { which, weakness }: WeakSecret,
  when: string,
  names: SecretNames,
): string {
  const remedy =
    which === "secret"
      ? "run `latchkey secret`, and set it to the output"
      : "remove it, which ends the sessions that it signed";
  return `${names[which]} is refused ${when}: ${weakness} (${remedy})`;
}

const describeMissingSecret = (name: string): string =>
  `${name} is not set: using the built-in development secret, so anyone can forge sessions. Run \`latchkey secret\` and set ${name} to its output.`;

const describeGuessableSecret = ({ which, weakness }: WeakSecret): string =>
  `${which === "secret" ? "the secret" : "a previous secret"} can be guessed: ${weakness}`;
