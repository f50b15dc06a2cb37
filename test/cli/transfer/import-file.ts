/** A bcrypt hash of the lowest cost, of `U*U`. */
export const HASH = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

export const HEADER = "username,password_hash\n";

/** A line of CSV for each name. */
export const csvOf = (...usernames: readonly string[]): string =>
  `${HEADER}${usernames.map((username) => `${username},${HASH}\n`).join("")}`;
