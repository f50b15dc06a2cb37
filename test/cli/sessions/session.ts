import { ENTER, type Typing } from "../user/terminal.ts";

/** What is typed after `latchkey`, with `@` and `GATE` as the place fills them in. */
type Args = readonly string[];

export interface Sessions {
  readonly terminal: {
    readonly args: Args;
    readonly answers?: Typing;
    readonly shown: RegExp;
  };
  readonly piped: {
    readonly args: Args;
    readonly input?: string;
    /** Once this is there, the command is stopped. */
    readonly until?: RegExp;
    readonly stdout: RegExp;
    readonly stderr?: RegExp;
  };
  readonly failing: { readonly args: Args; readonly code: 1 | 2; readonly says: RegExp };
}

const PASSWORD = "correct horse";
export const ID = "[0-9a-f-]{36}";
/** What is quick shows its first bar at most. */
const BAR = "(\\[[#.]{20}\\] .*)?";

/** The same words with and without a terminal. */
export function alike(args: Args, stdout: RegExp): Pick<Sessions, "terminal" | "piped"> {
  return { terminal: { args, shown: stdout }, piped: { args, stdout } };
}

/** With a bar on a terminal. */
export function shownWithBar(args: Args, said: string): Pick<Sessions, "terminal" | "piped"> {
  return {
    terminal: { args, shown: new RegExp(`^${BAR}${said}\n$`) },
    piped: { args, stdout: new RegExp(`^${said}\n$`) },
  };
}

export function askingForPassword(args: Args, said: string): Pick<Sessions, "terminal" | "piped"> {
  const answer = `${PASSWORD}${ENTER}`;
  const answers: Typing = [
    ["New password: ", answer],
    ["The same again: ", answer],
  ];
  const shown = new RegExp(`^New password: \nThe same again: \n${said}$`);
  const stdin = [...args, "--password-stdin"];
  return {
    terminal: { args, answers, shown },
    piped: { args: stdin, input: `${PASSWORD}\n`, stdout: new RegExp(`^${said}$`) },
  };
}

export const NOTHING: RegExp = /^$/;
export const NO_DATABASE: RegExp = /there is no database .*latchkey\.db$/;

/** By the name of the command. */
export type SessionTable = Readonly<Record<string, Sessions>>;
