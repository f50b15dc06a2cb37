import { randomBytes } from "node:crypto";
import { findNotifyTarget } from "../gate/settings/settings.ts";
import { getErrorMessage } from "../lib/fault.ts";
import { sendNotice } from "../mail/webhook.ts";
import { type Command, SUCCESS } from "./command.ts";

export const test: Command = {
  details:
    "Sends a notice at once, without the queue, and prints what the target answers if it refuses.",
  settings: ["NOTIFY_URL", "NOTIFY_URL_FILE", "NOTIFY_SECRET", "NOTIFY_SECRET_FILE", "APP_NAME"],
  examples: ["latchkey notify test"],

  async run(settings, _options, terminal) {
    const target = findNotifyTarget(settings);
    if (target === undefined) return terminal.fail("set NOTIFY_URL first");
    const now = Date.now();
    const data = { summary: "This is a test. Notices from Latchkey arrive.", author: "cli" };
    const notice = { type: "test", timestamp: new Date(now).toISOString(), data };
    const stop = new AbortController().signal;
    const id = randomBytes(16).toString("hex");
    try {
      await sendNotice(target, settings.appName, notice, { id, now, stop });
    } catch (error) {
      return terminal.fail(`the notice was not sent: ${getErrorMessage(error)}`);
    }
    terminal.complain(`${target.host} has taken the notice`);
    return SUCCESS;
  },
};
