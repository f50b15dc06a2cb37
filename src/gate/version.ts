import manifest from "latchkey/package.json" with { type: "json" };

export const version = (): string => manifest.version;
