import type { NextConfig } from "next";

export default { serverExternalPackages: ["latchkey"] } satisfies NextConfig;
