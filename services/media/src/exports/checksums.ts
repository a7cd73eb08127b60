import { addChecksum } from '../photos/add-checksum.ts'
import { type ExportDeps, type StartedExport, saveProgress } from './export-rows.ts'
import { countPhotos, listPhotos } from './list-photos.ts'

const UNCHECKED = { crc32: null }
const PAGE_SIZE = 100
/** Then another user's export has its turn. */
const TURN_MS = 30_000
const SAVE_MS = 1_000

/**
 * Reads the originals of the user's photos that have no checksum yet: those that were uploaded in parts and have not been
 * verified. Each checksum is stored at once, so that none is read twice. Returns false when the turn ended before.
 */
export async function addChecksums(deps: ExportDeps, row: StartedExport): Promise<boolean> {
  const { db, signal } = deps
  const { progress } = row
  const started = Date.now()
  progress.unchecked ??= await countPhotos(db, row.userId, UNCHECKED)
  if (progress.unchecked === 0) return true
  let savedAt = 0
  for await (const photos of listPhotos(db, row.userId, PAGE_SIZE, UNCHECKED)) {
    for (const photo of photos) {
      signal.throwIfAborted()
      if (await addChecksum(deps, photo)) {
        progress.checked = Math.min((progress.checked ?? 0) + 1, progress.unchecked)
      }
      if (Date.now() - savedAt < SAVE_MS) continue
      savedAt = Date.now()
      await saveProgress(db, row)
      if (savedAt - started > TURN_MS) return false
    }
  }
  progress.checked = progress.unchecked
  return true
}
