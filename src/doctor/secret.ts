import { stat } from "node:fs/promises";
import { OWN_SECRET } from "../gate/settings/secret-file.ts";
import { getSettingName } from "../gate/settings/table.ts";
import { findWeakSecrets } from "../identity/secrets.ts";
import { DEVELOPMENT_SECRET } from "../identity/session-token.ts";
import { ignoreMissing } from "../lib/files/file-error.ts";
import { type Check, collectFindings, createCheck, hint, problem } from "./check.ts";
import { READABLE_BY_OTHERS } from "./data-folder.ts";

export const checkSecret: Check = createCheck(
  "secret",
  ["secret", "previousSecrets"],
  async ({ settings, secretFiles }) => {
    const { secret = DEVELOPMENT_SECRET } = settings;
    const own = secretFiles.find(({ name }) => name === OWN_SECRET);
    if (own !== undefined && settings.secret === undefined) {
      return problem(`${OWN_SECRET}: ${own.path} does not exist`, START);
    }
    const findings = findWeakSecrets(settings).map(({ which, weakness }) => {
      if (which === "secret" && secret === DEVELOPMENT_SECRET) return problem(NOT_SET, SET);
      const remedy = which === "secret" ? REPLACE : REMOVE;
      return problem(`a secret in ${getSettingName(which)} can be guessed: ${weakness}`, remedy);
    });
    return collectFindings(findings, "AUTH_SECRET is set and has no known weakness");
  },
);

const NOT_SET =
  "AUTH_SECRET is not set: the built-in development secret signs the sessions, so anyone can forge them";
const SET = "run latchkey secret, and set AUTH_SECRET to its output on every instance";
const START =
  "start the gate, which makes it; if there was one before, copy it from the old machine, or its sessions and one-time codes end";
const REPLACE =
  "set AUTH_SECRET to the output of latchkey secret, which ends all sessions; do not move the old secret to AUTH_SECRET_PREVIOUS";
const REMOVE = "remove it from AUTH_SECRET_PREVIOUS, which ends the sessions that it signed";

export const checkSecretFiles: Check = createCheck(
  "secret files",
  ["tlsKeyFile"],
  async ({ secretFiles, settings: { tlsKeyFile } }) => {
    const key = tlsKeyFile === undefined ? [] : [{ name: "TLS_KEY_FILE", path: tlsKeyFile }];
    const files = [...secretFiles, ...key];
    if (files.length === 0) return undefined;
    const findings = files.map(async ({ name, path }) => {
      const found = await ignoreMissing(stat(path));
      if (found === undefined || (found.mode & READABLE_BY_OTHERS) === 0) return undefined;
      return hint(
        `every local user can read the file of ${name}`,
        `chmod o= ${path}, and check that the gate's user can still read it`,
      );
    });
    const names = files.map(({ name }) => name).join(", ");
    return collectFindings(await Promise.all(findings), `other local users cannot read ${names}`);
  },
);
