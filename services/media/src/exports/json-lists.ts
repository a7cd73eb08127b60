import type { ArchiveWriter, OpenFile } from './archive-writer.ts'

interface List {
  file: OpenFile
  items: number
  parts: number
}

export type JsonLists = ReturnType<typeof createJsonLists>

/** Writes items into JSON arrays of the archive, without holding them in memory. */
export function createJsonLists(writer: ArchiveWriter) {
  const lists = new Map<string, List>()

  function open(name: string, parts: number, itemsPerFile: number | null): List {
    const suffix = itemsPerFile === null ? '' : `-${String(parts).padStart(4, '0')}`
    const list = { file: writer.open(`${name}${suffix}.json`), items: 0, parts }
    lists.set(name, list)
    return list
  }

  async function close({ file, items }: List): Promise<void> {
    await file.write(items === 0 ? '[]\n' : '\n]\n')
    await file.close()
  }

  return {
    /** Adds an item to the file of this name; with `itemsPerFile` to one of its numbered parts. */
    async add(name: string, itemsPerFile: number | null, item: object): Promise<void> {
      let list = lists.get(name) ?? open(name, 1, itemsPerFile)
      if (list.items === itemsPerFile) {
        await close(list)
        list = open(name, list.parts + 1, itemsPerFile)
      }
      const text = JSON.stringify(item, null, 2).replaceAll('\n', '\n  ')
      await list.file.write(`${list.items === 0 ? '[\n  ' : ',\n  '}${text}`)
      list.items += 1
    },
    async close(): Promise<void> {
      for (const list of lists.values()) await close(list)
    },
    /** Discards the files that are not closed. */
    discard(): void {
      for (const { file } of lists.values()) file.discard()
    },
  }
}
