import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { startProgram } from "../proxies/program.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { type Account, postgresAccount } from "../support/postgres-binaries.ts";
import { tempDir } from "../support/temp-dir.ts";

const HOST = "127.0.0.1";
const PASSWORD = "patroni";
const NAMES = ["one", "two"] as const;
/** In seconds, and shorter than usual, so that a failover does not take a minute. */
const TIMES = { ttl: 20, loop_wait: 1, retry_timeout: 3 };

export type Name = (typeof NAMES)[number];

export interface Cluster {
  /** The database as a gate reaches it: through HAProxy, which asks Patroni for the primary. */
  readonly url: string;
  /** Resolves to the member that accepts writes, once there is one and the other follows it. */
  primary(): Promise<Name>;
  /** Hands the primary's part over to the other member, as for maintenance. */
  switchOver(): Promise<void>;
  /** Kills Patroni and PostgreSQL of a member, as if its machine had lost its power. */
  kill(name: Name): Promise<void>;
  /** Starts a member that was killed. */
  start(name: Name): void;
}

interface Member {
  readonly name: Name;
  readonly folder: string;
  readonly configuration: string;
  readonly postgres: number;
  readonly api: number;
  child: ChildProcess | undefined;
}

/**
 * Two members of PostgreSQL under Patroni with synchronous replication, a third one that only votes,
 * and HAProxy in front of them.
 */
export async function startCluster(
  t: TestContext,
  { patroni, bin, haproxy }: { patroni: string; bin: string; haproxy: string },
): Promise<Cluster> {
  const account = postgresAccount();
  const folder = await tempDir(t);
  await chmod(folder, 0o755);
  const ballots = await Promise.all([freePort(), freePort(), freePort()]);
  const votes = ballots.map((port) => `${HOST}:${port}`);
  const members = await Promise.all(
    NAMES.map((name, at) => prepareMember({ name, at, folder, votes, bin, account })),
  );
  const witness = await prepareWitness(folder, votes, account);

  const run = (program: string, configuration: string): ChildProcess =>
    spawn(program, [configuration], { ...account, cwd: folder, stdio: "ignore", detached: true });
  const voting = run(`${patroni}_raft_controller`, witness);
  const start = (member: Member): void => {
    member.child = run(patroni, member.configuration);
  };
  for (const member of members) start(member);
  t.after(async () => {
    for (const member of members) await killMember(member);
    await killGroup(voting);
  });

  const port = await freePort();
  const primary = (): Promise<Name> =>
    eventually(async () => {
      const states = await Promise.all(members.map(readState));
      const leader = members.find((_, at) => states[at]?.role === "master");
      const isFollowed = states.some((state) => state?.role === "replica" && state.sync);
      return isFollowed ? leader?.name : undefined;
    }, 120_000);
  await primary();
  await startProgram(t, haproxy, {
    configuration: balancer(port, members),
    args: (file) => ["-f", file],
    address: { host: HOST, port },
  });
  const memberNamed = (name: Name): Member => {
    const found = members.find((member) => member.name === name);
    if (found === undefined) throw new Error(name);
    return found;
  };
  return {
    url: `postgres://postgres:${PASSWORD}@${HOST}:${port}/postgres`,
    primary,
    async switchOver() {
      const leader = memberNamed(await primary());
      const answer = await fetch(`http://${HOST}:${leader.api}/switchover`, {
        method: "POST",
        headers: { Authorization: `Basic ${btoa(`patroni:${PASSWORD}`)}` },
        body: JSON.stringify({ leader: leader.name }),
      });
      if (!answer.ok) throw new Error(await answer.text());
    },
    kill: (name) => killMember(memberNamed(name)),
    start: (name) => start(memberNamed(name)),
  };
}

async function prepareMember({
  name,
  at,
  folder,
  votes,
  bin,
  account,
}: {
  name: Name;
  at: number;
  folder: string;
  votes: readonly string[];
  bin: string;
  account: Account;
}): Promise<Member> {
  const own = await folderOf(folder, name, account);
  const [postgres, api] = await Promise.all([freePort(), freePort()]);
  const configuration = join(own, "patroni.yml");
  const user = (username: string) => ({ username, password: PASSWORD });
  const text = {
    scope: "latchkey",
    name,
    restapi: {
      listen: `${HOST}:${api}`,
      connect_address: `${HOST}:${api}`,
      authentication: user("patroni"),
    },
    raft: raftOf(join(own, "raft"), votes, at),
    bootstrap: {
      dcs: { ...TIMES, synchronous_mode: true, postgresql: { use_pg_rewind: true } },
      initdb: [{ encoding: "UTF8" }, "data-checksums"],
    },
    postgresql: {
      listen: `${HOST}:${postgres}`,
      connect_address: `${HOST}:${postgres}`,
      data_dir: join(own, "data"),
      bin_dir: bin,
      pgpass: join(own, "pgpass"),
      authentication: { superuser: user("postgres"), replication: user("replicator") },
      parameters: { unix_socket_directories: own, shared_buffers: "16MB" },
      pg_hba: [
        `host all all ${HOST}/32 scram-sha-256`,
        `host replication replicator ${HOST}/32 scram-sha-256`,
      ],
    },
  };
  // Each JSON text is YAML.
  await writeFile(configuration, JSON.stringify(text), { mode: 0o644 });
  return { name, folder: own, configuration, postgres, api, child: undefined };
}

async function prepareWitness(
  folder: string,
  votes: readonly string[],
  account: Account,
): Promise<string> {
  const own = await folderOf(folder, "witness", account);
  const file = join(own, "patroni.yml");
  await writeFile(file, JSON.stringify({ raft: raftOf(join(own, "raft"), votes, 2) }));
  await chmod(file, 0o644);
  return file;
}

const raftOf = (folder: string, votes: readonly string[], at: number) => ({
  data_dir: folder,
  self_addr: votes[at],
  partner_addrs: votes.filter((_, other) => other !== at),
});

async function folderOf(folder: string, name: string, { uid, gid }: Account): Promise<string> {
  const own = join(folder, name);
  await mkdir(own, { mode: 0o700 });
  if (uid !== undefined && gid !== undefined) await chown(own, uid, gid);
  return own;
}

const balancer = (port: number, members: readonly Member[]): string => `global
  maxconn 200
defaults
  mode tcp
  timeout connect 1s
  timeout client 30s
  timeout server 30s
listen primary
  bind ${HOST}:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${members.map(({ name, postgres, api }) => `  server ${name} ${HOST}:${postgres} check port ${api}`).join("\n")}
`;

interface State {
  readonly role: string;
  readonly sync: boolean;
}

async function readState({ api }: Member): Promise<State | undefined> {
  try {
    const answer = await fetch(`http://${HOST}:${api}/patroni`);
    const { role = "", sync_standby = false } = Object(await answer.json());
    return { role: String(role), sync: Boolean(sync_standby) };
  } catch {
    // It is starting, or was killed.
    return undefined;
  }
}

/** Patroni, and PostgreSQL, which has a process group of its own. */
async function killMember(member: Member): Promise<void> {
  const pid = await readFile(join(member.folder, "data/postmaster.pid"), "utf8").catch(() => "");
  const postgres = Number(pid.split("\n")[0]);
  if (member.child !== undefined) await killGroup(member.child);
  member.child = undefined;
  if (postgres > 0) killQuietly(postgres);
}

async function killGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  killQuietly(-child.pid);
  await ended;
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}
