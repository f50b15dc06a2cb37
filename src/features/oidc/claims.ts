import type { User } from "../../db/records.ts";

/** Maps each scope to the claims that an app gets with it. */
export const CLAIMS_OF_SCOPES: Readonly<Record<string, readonly string[]>> = {
  openid: ["sub", "auth_time", "acr", "amr"],
  profile: ["preferred_username", "name"],
  email: ["email", "email_verified"],
  groups: ["groups"],
};

export const SCOPES: readonly string[] = ["openid", "profile", "email", "groups", "offline_access"];

/** Contains what an app can learn about an account. The scopes decide what it learns. */
export interface Claims {
  readonly sub: string;
  readonly preferred_username: string;
  readonly name: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly groups: readonly string[];
}

export const toClaims = ({
  id,
  username,
  name = username,
  email,
  emailVerified = false,
  groups = [],
}: User): Claims => ({
  sub: id,
  preferred_username: username,
  name,
  ...(email !== undefined && { email, email_verified: emailVerified }),
  groups,
});
