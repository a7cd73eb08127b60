/** A file with its folder ('' when chosen by itself), or the name of an entry that could not be read. */
export type FoundFile = { file: File; path: string } | { unreadable: string }

/** The files of a file or folder dialog. */
export function* listedFiles(files: readonly File[]): Iterable<FoundFile> {
  for (const file of files) yield { file, path: folderOf(file.webkitRelativePath) }
}

/**
 * The files of a drop, including those in dropped folders. The entries are taken synchronously, because a drop's data
 * is gone after its event; the folders are read afterwards.
 */
export function droppedFiles(data: DataTransfer): AsyncIterable<FoundFile> {
  const sources = [...data.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => item.webkitGetAsEntry() ?? item.getAsFile())
  return walkAll(sources)
}

async function* walkAll(sources: (FileSystemEntry | File | null)[]): AsyncGenerator<FoundFile> {
  for (const source of sources) {
    if (source instanceof File) yield { file: source, path: '' }
    else if (source) yield* walk(source)
  }
}

/** All files in an entry, without hidden ones. Browsers return the entries of a folder a hundred at a time. */
export async function* walk(entry: FileSystemEntry): AsyncGenerator<FoundFile> {
  if (entry.isFile) yield fileOf(entry as FileSystemFileEntry)
  if (!entry.isDirectory) return
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  for (;;) {
    const entries = await nextEntries(reader)
    if (entries === null) yield { unreadable: entry.name }
    if (entries === null || entries.length === 0) return
    const visible = entries.filter(({ name }) => !name.startsWith('.'))
    // In parallel: sequential reads take seconds for thousands of files.
    yield* await Promise.all(visible.filter(({ isFile }) => isFile).map((file) => fileOf(file as FileSystemFileEntry)))
    for (const folder of visible.filter(({ isDirectory }) => isDirectory)) yield* walk(folder)
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<FoundFile> {
  return new Promise((resolve) => {
    entry.file(
      (file) => resolve({ file, path: folderOf(entry.fullPath.slice(1)) }),
      () => resolve({ unreadable: entry.name }),
    )
  })
}

/** Null when the folder cannot be read. */
function nextEntries(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[] | null> {
  return new Promise((resolve) => reader.readEntries(resolve, () => resolve(null)))
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0))
}
