import { ENTER, type Typing } from "../user/terminal.ts";

/** The arguments, in which `@` and `GATE` are filled in. */
type Args = readonly string[];

export interface Transcripts {
  readonly terminal: {
    readonly args: Args;
    readonly answers?: Typing;
    readonly shown: RegExp;
  };
  readonly piped: {
    readonly args: Args;
    readonly input?: string;
    /** The command is stopped once its output matches. */
    readonly until?: RegExp;
    readonly stdout: RegExp;
    readonly stderr?: RegExp;
  };
  readonly failing: { readonly args: Args; readonly code: 1 | 2; readonly says: RegExp };
}

const PASSWORD = "correct horse";
export const ID = "[0-9a-f-]{36}";
/** A quick command shows at most its first bar. */
const BAR = "(\\[[#.]{20}\\] .*)?";

/** The same output with and without a terminal. */
export function alike(args: Args, stdout: RegExp): Pick<Transcripts, "terminal" | "piped"> {
  return { terminal: { args, shown: stdout }, piped: { args, stdout } };
}

/** Rows with a header, which is printed on a terminal only. */
export const listed = (
  args: Args,
  header: string,
  rows: string,
): Pick<Transcripts, "terminal" | "piped"> => ({
  terminal: { args, shown: new RegExp(`^${header}\n${rows}$`) },
  piped: { args, stdout: new RegExp(`^${rows}$`) },
});

/** With a bar on a terminal. */
export function shownWithBar(args: Args, said: string): Pick<Transcripts, "terminal" | "piped"> {
  return {
    terminal: { args, shown: new RegExp(`^${BAR}${said}\n$`) },
    piped: { args, stdout: new RegExp(`^${said}\n$`) },
  };
}

export function askingForPassword(
  args: Args,
  said: string,
): Pick<Transcripts, "terminal" | "piped"> {
  const answer = `${PASSWORD}${ENTER}`;
  const answers: Typing = [
    ["New password: ", answer],
    ["Repeat the password: ", answer],
  ];
  const shown = new RegExp(`^New password: \nRepeat the password: \n${said}$`);
  const stdin = [...args, "--password-stdin"];
  return {
    terminal: { args, answers, shown },
    piped: { args: stdin, input: `${PASSWORD}\n`, stdout: new RegExp(`^${said}$`) },
  };
}

export const NO_DATABASE: RegExp = /there is no database .*latchkey\.db$/;

/** By the name of the command. */
export type TranscriptTable = Readonly<Record<string, Transcripts>>;
