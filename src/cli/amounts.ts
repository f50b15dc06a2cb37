export interface Amounts {
  readonly users: number;
  readonly entries: number;
}

export const amounts = ({ users, entries }: Amounts): string =>
  `${users} ${users === 1 ? "user" : "users"} and ${entries} log ${entries === 1 ? "entry" : "entries"}`;
