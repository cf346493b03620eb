// Packing and unpacking bytes with what a browser has: base64, zlib, raw deflate. Never more output than allowed.

type Format = "deflate" | "deflate-raw";

export class Unreadable extends Error {}

/** At most `most` bytes; more, or bytes that are no `format`, are refused. */
export async function inflate(data: Uint8Array, format: Format, most: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of chunks(through(data, new DecompressionStream(format)))) {
      size += part.length;
      if (size > most) throw new Unreadable(`more than ${most} bytes`);
      parts.push(part);
    }
  } catch (problem) {
    if (problem instanceof Unreadable) throw problem;
    throw new Unreadable("the packed bytes are damaged");
  }
  return joined(parts, size);
}

export async function deflate(data: Uint8Array, format: Format): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of chunks(through(data, new CompressionStream(format)))) parts.push(part);
  return joined(parts, parts.reduce((sum, part) => sum + part.length, 0));
}

function through(data: Uint8Array, stream: GenericTransformStream): ReadableStream<Uint8Array> {
  const writer = (stream.writable as WritableStream<Uint8Array>).getWriter();
  // a toApiError shows itself on the reading side; unhandled here it would be a page error
  writer.write(data).then(() => writer.close()).catch(() => undefined);
  return stream.readable as ReadableStream<Uint8Array>;
}

async function* chunks(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

export function joined(parts: readonly Uint8Array[], size = parts.reduce((sum, part) => sum + part.length, 0)): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function fromBase64(text: string): Uint8Array {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    throw new Unreadable("not base64");
  }
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

export function toBase64(data: Uint8Array): string {
  let binary = "";
  const piece = 8192; // arguments of one call
  for (let at = 0; at < data.length; at += piece) binary += String.fromCharCode(...data.subarray(at, at + piece));
  return btoa(binary);
}

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let word = byte;
  for (let bit = 0; bit < 8; bit++) word = word & 1 ? (word >>> 1) ^ 0xedb88320 : word >>> 1;
  return word;
});

/** As gzip wants it. */
export function crc32(data: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of data) crc = CRC[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
