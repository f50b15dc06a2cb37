import { DEVELOPMENT_SECRET } from "./session-token.ts";

/** Where the process runs: only `production` refuses the development secret. */
export type Environment = "production" | "other";

export const environmentOf = (nodeEnv: string | undefined): Environment =>
  nodeEnv === "production" ? "production" : "other";

export interface Secrets {
  /** `undefined` or empty stands for the development secret. */
  readonly secret: string | undefined;
  readonly previousSecrets: readonly string[];
  readonly environment: Environment;
}

/** In production, anyone could forge sessions with the development secret: it is refused. */
export function secretProblem({
  secret,
  previousSecrets,
  environment,
}: Secrets): string | undefined {
  if (environment !== "production") return undefined;
  if ((secret || DEVELOPMENT_SECRET) === DEVELOPMENT_SECRET) {
    return "AUTH_SECRET must be set to a secret of your own when NODE_ENV is production: run `latchkey secret` to get one";
  }
  return previousSecrets.includes(DEVELOPMENT_SECRET)
    ? "AUTH_SECRET_PREVIOUS must not contain the development secret when NODE_ENV is production: remove it"
    : undefined;
}
