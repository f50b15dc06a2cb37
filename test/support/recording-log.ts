import type { ServerLog } from "../../src/lib/server-log.ts";

export interface RecordedLine {
  readonly level: "warn" | "error";
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface RecordingLog extends ServerLog {
  readonly lines: readonly RecordedLine[];
}

export function recordingLog(): RecordingLog {
  const lines: RecordedLine[] = [];
  const recorder = (level: RecordedLine["level"]) => (fields: object, message: string) => {
    lines.push({ level, message, fields: { ...fields } });
  };
  return { lines, warn: recorder("warn"), error: recorder("error") };
}
