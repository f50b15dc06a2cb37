import { chown, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CA_CERTIFICATE, SERVER_CERTIFICATE, SERVER_KEY } from "./certificates.ts";
import type { Postgres } from "./postgres.ts";
import { postgresAccount } from "./postgres-binaries.ts";

/** Enables TLS on the server. Returns the path of its CA certificate. */
export async function turnTlsOn(server: Postgres): Promise<string> {
  const inFolder = (name: string): string => join(server.socketFolder, name);
  const { uid, gid } = postgresAccount();
  const [ca, certificate, key] = [inFolder("ca.crt"), inFolder("tls.crt"), inFolder("tls.key")];
  await writeFile(ca, CA_CERTIFICATE);
  await writeFile(certificate, SERVER_CERTIFICATE);
  await writeFile(key, SERVER_KEY, { mode: 0o600 });
  if (uid !== undefined && gid !== undefined) await chown(key, uid, gid);
  await server.sql(`ALTER SYSTEM SET ssl_cert_file = '${certificate}'`);
  await server.sql(`ALTER SYSTEM SET ssl_key_file = '${key}'`);
  await server.sql("ALTER SYSTEM SET ssl = on");
  await restart(server);
  return ca;
}

/** Requires a password over TCP from all roles except the superuser. */
export async function requirePasswords(server: Postgres): Promise<void> {
  const rules = [
    "local all all trust",
    "host all postgres 127.0.0.1/32 trust",
    "host all all 127.0.0.1/32 scram-sha-256",
  ];
  await writeFile(join(server.socketFolder, "data", "pg_hba.conf"), `${rules.join("\n")}\n`);
  await restart(server);
}

async function restart(server: Postgres): Promise<void> {
  await server.stop();
  await server.start();
}
