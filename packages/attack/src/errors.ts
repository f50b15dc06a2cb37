/** An attack that does not apply to this server. The message is the reason. */
export class Skipped extends Error {}

/** The server could not be judged. The message is the reason. */
export class Undecided extends Error {}

/** The command line is wrong. The message is the one line to print. */
export class UsageError extends Error {}

/** The server at the URL cannot be attacked. The message is the reason. */
export class TargetError extends Error {}
