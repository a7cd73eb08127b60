import type { AppConfig } from '../../../api/types.ts'
import { formatNames, formatOf, rejectionReason } from '../limits.ts'
import type { FoundFile } from './read-entries.ts'

/** Work on the main thread pauses after this time, which users do not notice. */
const SLICE_MS = 8

/** A photo to upload. Its size is kept, because reading it from the file may access the disk each time. */
export interface ChosenFile {
  file: File
  bytes: number
  path: string
}

/** What the user has chosen so far. */
export interface FileSelection {
  photos: readonly ChosenFile[]
  bytes: number
  /** One sentence for each chosen file that cannot be uploaded. */
  issues: readonly string[]
  /** Files in chosen folders that are not photos. */
  skipped: number
}

export const EMPTY_SELECTION: FileSelection = { photos: [], bytes: 0, issues: [], skipped: 0 }

/**
 * Adds chosen files to a selection, without duplicates and without files that the server would reject, and reports
 * progress. Even reading a file's size may access the disk, so thousands of files take a while: the page stays
 * responsive.
 */
export async function addFiles(
  before: FileSelection,
  chosen: Iterable<FoundFile> | AsyncIterable<FoundFile>,
  { formats }: Pick<AppConfig, 'formats'>,
  onProgress: (so: FileSelection) => void,
): Promise<FileSelection> {
  const photos = [...before.photos]
  const seen = Map.groupBy(before.photos, identityOf)
  const issues = [...before.issues]
  let { bytes, skipped } = before
  let pauseAt = performance.now() + SLICE_MS
  const soFar = (): FileSelection => ({ photos, bytes, issues, skipped })

  function take(file: File, path: string): void {
    const inFolder = path !== ''
    if (inFolder && isHidden(file.name, path)) return
    const format = formatOf(file, formats)
    if (!format) {
      if (inFolder) skipped += 1
      else issues.push(`${file.name} is not a photo in one of the formats ${formatNames(formats)}.`)
      return
    }
    const one = { file, bytes: file.size, path }
    const problem = rejectionReason(one, format)
    if (problem) {
      issues.push(problem)
      return
    }
    const namesakes = seen.get(identityOf(one)) ?? []
    if (namesakes.some((other) => other.file.lastModified === file.lastModified)) return
    seen.set(identityOf(one), [...namesakes, one])
    photos.push(one)
    bytes += one.bytes
  }

  for await (const one of chosen) {
    if ('unreadable' in one) issues.push(`${one.unreadable} could not be read.`)
    else take(one.file, one.path)
    if (performance.now() < pauseAt) continue
    onProgress(soFar())
    await pause()
    pauseAt = performance.now() + SLICE_MS
  }
  // A folder returns its files in any order.
  return { ...soFar(), photos: sortByName(photos), issues: [...issues] }
}

/** Asks each file for its name once: thousands of comparisons would ask the browser for it a hundred thousand times. */
function sortByName(photos: ChosenFile[]): ChosenFile[] {
  const named = photos.map((photo) => ({ photo, path: photo.path, name: photo.file.name }))
  named.sort((a, b) => compare(a.path, b.path) || compare(a.name, b.name))
  return named.map(({ photo }) => photo)
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function identityOf({ file, path, bytes }: ChosenFile): string {
  return `${path}/${file.name}/${bytes}`
}

function isHidden(name: string, path: string): boolean {
  return name.startsWith('.') || path.split('/').some((part) => part.startsWith('.'))
}

/** Lets the browser paint and handle input. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}
