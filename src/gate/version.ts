import manifest from "latchkey/package.json" with { type: "json" };

export const getVersion = (): string => manifest.version;
