/** How much there is, or was done. */
export interface Amounts {
  readonly users: number;
  readonly entries: number;
}

/** How much of one thing is done. */
export interface Portion {
  readonly done: number;
  readonly total: number;
}
