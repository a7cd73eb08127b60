import { sendRequest } from '@skyfolio/kit'
import { type ExportSource, exportSources } from '@skyfolio/proto'
import type { Nats } from '../projection/folders.ts'
import type { ArchiveWriter } from './archive-writer.ts'

/** A page is half a megabyte at most, and may need several queries. */
const TIMEOUT_MS = 10_000
const MAX_PAGES = 20_000
const SEGMENT = '[A-Za-z0-9][A-Za-z0-9._-]*'

const SOURCES: { source: ExportSource; directory: string }[] = [
  { source: exportSources.auth, directory: 'account' },
  { source: exportSources.folders, directory: 'folders' },
  { source: exportSources.orders, directory: 'orders' },
]
const FOLDER_LIST = /^folders\/folders-\d+\.json$/

/**
 * Adds the files that the other services have of the user, and returns the names of their folders.
 * @throws AppError 503 when a service does not respond
 */
export async function addFilesOfServices(
  nats: Nats,
  userId: number,
  writer: ArchiveWriter,
  signal: AbortSignal,
): Promise<Map<number, string>> {
  const folderNames = new Map<number, string>()
  for (const { source, directory } of SOURCES) {
    const isOwnPath = new RegExp(`^${directory}(/${SEGMENT})+$`)
    const paths = new Set<string>()
    for await (const { path, content } of requestFiles(nats, source, userId)) {
      signal.throwIfAborted()
      if (!isOwnPath.test(path) || paths.has(path)) throw new Error(`${source.subject} returned the path ${path}`)
      paths.add(path)
      const text = Buffer.from(content).toString()
      if (FOLDER_LIST.test(path)) readFolderNames(text, folderNames)
      await writer.addFile(path, [text])
    }
  }
  return folderNames
}

async function* requestFiles(nats: Nats, source: ExportSource, userId: number) {
  let cursor = ''
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { files, next } = await sendRequest(nats, source, { userId, cursor }, { timeoutMs: TIMEOUT_MS })
    yield* files
    if (next === '') return
    cursor = next
  }
  throw new Error(`${source.subject} does not come to an end`)
}

function readFolderNames(text: string, names: Map<number, string>): void {
  const folders: unknown = JSON.parse(text)
  if (!Array.isArray(folders)) throw new Error('the list of folders is no array')
  for (const { id, name } of folders) if (Number.isInteger(id) && typeof name === 'string') names.set(id, name)
}
