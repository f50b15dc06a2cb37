import { CTRL_C } from "../user/terminal.ts";
import { alike, listed, NO_DATABASE, type TranscriptTable } from "./transcript.ts";

const ESC = "\u001b";
const coloured = (word: string, colour: number): string =>
  `${ESC}\\[${colour}m${word} ?${ESC}\\[39m`;

const LEVEL = `(${coloured("INFO", 32)}|${coloured("WARN", 33)})`;
const FOR_PEOPLE = `\\d\\d:\\d\\d:\\d\\d ${LEVEL} \\S.*\n`;
const LINK = "http://127\\.0\\.0\\.1:4000/setup\\?token=[\\w-]{32}\n";
const TOKEN_PLACE = "latchkey: the token is in /\\S+/none/setup-token: .* the same DATA_DIR\n";
const EXAMINED = "\\S.*\n( {4}.*\n)*";

export const gateTranscripts: TranscriptTable = {
  serve: {
    terminal: {
      args: ["serve"],
      answers: [["listens on", CTRL_C]],
      shown: new RegExp(`^(${FOR_PEOPLE})+\\^C(${FOR_PEOPLE}){2}$`),
    },
    piped: { args: ["serve"], until: /listens on/, stdout: /^(\{"level":.*\}\n){4,}$/ },
    failing: {
      args: ["serve", "--data-dir", "@/new.csv"],
      code: 1,
      says: /DATA_DIR [^\n]+ is a file, not a folder$/,
    },
  },
  log: {
    ...listed(
      ["log"],
      "TIME +TYPE +AUTHOR +SUMMARY",
      "[\\d-]+T[\\d:.]+Z {2}signin +system {2}an entry\n",
    ),
    failing: { args: ["log", "--data-dir", "@/none"], code: 1, says: NO_DATABASE },
  },
  "setup-link": {
    terminal: {
      args: ["setup-link", "--data-dir", "@/none", "--port", "4000"],
      shown: new RegExp(`^${LINK}${TOKEN_PLACE}$`),
    },
    piped: {
      args: ["setup-link", "--data-dir", "@/none", "--port", "4000"],
      stdout: new RegExp(`^${LINK}$`),
      stderr: new RegExp(`^${TOKEN_PLACE}$`),
    },
    failing: { args: ["setup-link"], code: 1, says: /there is already an account/ },
  },
  secret: {
    ...alike(["secret"], /^[\w-]{43}\n$/),
    failing: { args: ["secret", "32"], code: 2, says: /but got 32\. See/ },
  },
  "pages eject": {
    ...alike(
      ["pages", "eject", "--to", "@/none"],
      /^Copied 14 files to \/\S+\. Start the gate with PAGES_DIR=.*\n$/,
    ),
    failing: {
      args: ["pages", "eject", "--to", "@/pages"],
      code: 1,
      says: /--force overwrites them$/,
    },
  },
  completion: {
    ...alike(["completion", "fish"], /^# fish completion for latchkey\n(.*\n)+$/),
    failing: { args: ["completion", "tcsh"], code: 2, says: /takes bash, zsh or fish$/ },
  },
  health: {
    ...alike(["health", "--port", "GATE"], /^The gate answers at http:\S+\n$/),
    failing: {
      args: ["health", "--port", "1"],
      code: 1,
      says: /no answer from http:\S+:1: connection refused/,
    },
  },
  doctor: {
    terminal: {
      args: ["doctor"],
      shown: new RegExp(
        `^((${coloured("ok", 32)}|${coloured("hint", 33)}) +${EXAMINED})+No problems found`,
      ),
    },
    piped: {
      args: ["doctor"],
      stdout: new RegExp(`^((ok|hint) +${EXAMINED})+No problems found, \\d hints?\\.\n`),
    },
    failing: { args: ["doctor", "--url", "nowhere"], code: 2, says: /--url takes an origin/ },
  },
};
