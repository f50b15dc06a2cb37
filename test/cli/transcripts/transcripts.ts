import { accountTranscripts } from "./of-accounts.ts";
import { dataTranscripts } from "./of-data.ts";
import { domainTranscripts } from "./of-domains.ts";
import { gateTranscripts } from "./of-gate.ts";
import type { TranscriptTable } from "./transcript.ts";

export const transcripts: TranscriptTable = {
  ...gateTranscripts,
  ...accountTranscripts,
  ...dataTranscripts,
  ...domainTranscripts,
};
