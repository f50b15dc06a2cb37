/** Extracts the part of a lock file that some packages need, as a separate lock file. */
export interface LockEntry {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly [field: string]: unknown;
}

/** Packages by installation folder; the empty key is the project. */
export type Locked = Readonly<Record<string, LockEntry>>;

/** The named packages and all their dependencies, nested as in the lock file. */
function closureOf(locked: Locked, names: readonly string[]): Locked {
  const found: Record<string, LockEntry> = {};
  const waiting = names.map((name) => ({ name, from: "" }));
  for (const { name, from } of waiting) {
    const place = placeOf(locked, name, from);
    if (place === undefined) throw new Error(`${name} is not in the lock file`);
    if (found[place] !== undefined) continue;
    const entry = locked[place] ?? {};
    found[place] = entry;
    waiting.push(...neededBy(entry).map((needed) => ({ name: needed, from: place })));
  }
  return found;
}

function neededBy(entry: LockEntry): readonly string[] {
  const peers = Object.keys(entry.peerDependencies ?? {}).filter(
    (name) => entry.peerDependenciesMeta?.[name]?.optional !== true,
  );
  return [
    ...Object.keys(entry.dependencies ?? {}),
    ...Object.keys(entry.optionalDependencies ?? {}),
    ...peers,
  ];
}

/** Resolves like Node: in the package's own folder first, then upwards. */
function placeOf(locked: Locked, name: string, from: string): string | undefined {
  for (
    let folder = from;
    ;
    folder = folder.slice(0, Math.max(folder.lastIndexOf("/node_modules/"), 0))
  ) {
    const place = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (locked[place] !== undefined) return place;
    if (folder === "") return undefined;
  }
}

export interface Project {
  readonly manifest: object;
  readonly lock: object;
  /** The folders of all packages, including other platforms. */
  readonly places: readonly string[];
}

/** A project that depends on only the named packages. */
export function projectOf(locked: Locked, names: readonly string[]): Project {
  const closure = closureOf(locked, names);
  const dependencies = Object.fromEntries(
    names.map((name) => [name, wantedVersion(closure[`node_modules/${name}`])]),
  );
  const about = { name: "bench", version: "1.0.0" };
  const entries = Object.entries(closure).map(([place, entry]) => [place, forProduction(entry)]);
  return {
    manifest: { ...about, private: true, type: "module", dependencies },
    lock: {
      ...about,
      lockfileVersion: 3,
      requires: true,
      packages: { "": { ...about, dependencies }, ...Object.fromEntries(entries) },
    },
    places: Object.keys(closure),
  };
}

function wantedVersion(entry: LockEntry | undefined): string {
  const { resolved, version = "*" } = entry ?? {};
  return typeof resolved === "string" && resolved.startsWith("file:") ? resolved : version;
}

/** Clears the dev flag, because a dev dependency of one project is a dependency of the other. */
function forProduction({ dev, devOptional, ...entry }: LockEntry): LockEntry {
  return devOptional === true ? { ...entry, optional: true } : entry;
}
