import { stat } from "node:fs/promises";
import type { Check } from "./check.ts";
import { type Finding, hint, orOk } from "./finding.ts";

const READABLE_BY_OTHERS = 0o004;

export const secretFilesCheck: Check = {
  name: "secret files",
  settings: [],

  async look({ secretFiles }) {
    if (secretFiles.length === 0) return [];
    const open = await Promise.all(
      secretFiles.map(async ({ name, path }): Promise<readonly Finding[]> => {
        const { mode } = await stat(path);
        if ((mode & READABLE_BY_OTHERS) === 0) return [];
        return [
          hint(
            `everybody on this machine can read the file of ${name}`,
            `chmod o= ${path}, and see that the gate's own user can still read it`,
          ),
        ];
      }),
    );
    const names = secretFiles.map(({ name }) => name).join(", ");
    return orOk(open.flat(), `not everybody can read ${names}`);
  },
};
