import type { Amounts } from "../../core/transfer/amounts.ts";

export const amounts = ({ users, entries }: Amounts): string =>
  `${users} ${users === 1 ? "user" : "users"} and ${entries} log ${entries === 1 ? "entry" : "entries"}`;
