/** In bytes; with the last entry and its envelope a page stays below half a megabyte. */
const MAX_BYTES = 400_000

/** Entries of a JSON file that holds a bounded number of bytes. */
export interface JsonPage {
  /** Adds an entry unless the page is full. Returns whether it was added. */
  add(entry: object): boolean
  isFull(): boolean
  isEmpty(): boolean
  content(): Uint8Array
}

export function createJsonPage(): JsonPage {
  const entries: string[] = []
  let bytes = 0
  return {
    add(entry) {
      if (bytes >= MAX_BYTES) return false
      const text = `  ${JSON.stringify(entry, null, 2).replaceAll('\n', '\n  ')}`
      entries.push(text)
      bytes += Buffer.byteLength(text) + 2
      return true
    },
    isFull: () => bytes >= MAX_BYTES,
    isEmpty: () => entries.length === 0,
    content: () => Buffer.from(entries.length === 0 ? '[]\n' : `[\n${entries.join(',\n')}\n]\n`),
  }
}
