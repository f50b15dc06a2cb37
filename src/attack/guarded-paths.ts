import type { Answer } from "./answers.ts";
import { ask } from "./ask.ts";
import { type Attack, FEW, forEach, LeftOut } from "./attack.ts";
import { pathTricks } from "./path-tricks.ts";
import { ownHost } from "./target.ts";

export const guardedPaths: Attack = {
  name: "guarded-paths",
  about: "guarded paths under spellings that a guard and what is behind it may read differently",
  meaning: "What is behind the door can be read without a session.",
  noun: "spellings",
  verb: "opened",
  needs: [],

  async run(target, tally) {
    if (target.guarded.length === 0) {
      throw new LeftOut("no path leads to the sign-in: name one with --guarded");
    }
    const askings = target.guarded.flatMap((path) => pathTricks(path, ownHost(target)));
    await forEach(askings, FEW, async (asking) => {
      tally.tried();
      const answer = await ask(target.place, asking, target.signal);
      if (isOpen(answer)) {
        tally.gotThrough(`${asking.method ?? "GET"} ${asking.path}: ${answer.status}`);
      }
    });
  },
};

/** Anything that is neither refused nor the sign-in or the setup itself. */
const isOpen = ({ status, body }: Answer): boolean =>
  status >= 200 && status <= 299 && !/<input[^>]*name="?password\b/.test(body);
