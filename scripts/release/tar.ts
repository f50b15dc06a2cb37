/** A file, or a folder if it has no content. */
export interface TarEntry {
  /** Without a slash at the start, at most 100 bytes. */
  readonly path: string;
  readonly mode: number;
  /** The ID of the user and of the group. Default: root. */
  readonly owner?: number;
  readonly content?: Uint8Array;
}

const BLOCK = 512;
const MAX_PATH = 100;

/** Packs a tar file (ustar), in the order of the entries. The same entries give the same bytes. */
export function packTar(entries: readonly TarEntry[], epoch: number): Buffer {
  const parts = entries.flatMap((entry) => {
    const { content = new Uint8Array() } = entry;
    return [formatHeader(entry, epoch), content, Buffer.alloc(-content.length & (BLOCK - 1))];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

function formatHeader({ path, mode, owner = 0, content }: TarEntry, epoch: number): Buffer {
  const name = content === undefined ? `${path}/` : path;
  if (Buffer.byteLength(name) > MAX_PATH) throw new Error(`the path is too long for tar: ${name}`);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, digits: number): unknown =>
    header.write(value.toString(8).padStart(digits, "0"), at);
  header.write(name, 0);
  octal(mode, 100, 7);
  octal(owner, 108, 7);
  octal(owner, 116, 7);
  octal(content?.length ?? 0, 124, 11);
  octal(epoch, 136, 11);
  // The checksum counts its own field as spaces.
  header.write(" ".repeat(8), 148);
  header.write(content === undefined ? "5" : "0", 156);
  header.write("ustar\u000000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  octal(sum, 148, 6);
  header.write("\0", 154);
  return header;
}
