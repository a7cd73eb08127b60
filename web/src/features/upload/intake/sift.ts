import type { AppConfig } from '../../../api/types.ts'
import { formatNames, formatOf, objection } from '../limits.ts'
import type { Chosen, Found } from './entries.ts'

/** Work on the page's thread pauses after so long: it stays far below what a person notices. */
const SLICE_MS = 8

/** What the user has chosen so far. */
export interface Selection {
  photos: readonly Chosen[]
  bytes: number
  /** Sentences about chosen files that cannot be sent. */
  leftOut: readonly string[]
  /** Files in chosen folders that are no photos. */
  skipped: number
}

export const NOTHING: Selection = { photos: [], bytes: 0, leftOut: [], skipped: 0 }

/**
 * Adds chosen files to a selection, without repeats and without those that the server would refuse anyway, and tells
 * now and then how far it is. Even looking at a file's size may ask the disk, so that thousands take a while: the page
 * goes on living meanwhile.
 */
export async function sift(
  before: Selection,
  chosen: Iterable<Found> | AsyncIterable<Found>,
  { formats }: Pick<AppConfig, 'formats'>,
  onProgress: (so: Selection) => void,
): Promise<Selection> {
  const photos = [...before.photos]
  const seen = new Set(before.photos.map(identity))
  const leftOut = [...before.leftOut]
  let { bytes, skipped } = before
  let pauseAt = performance.now() + SLICE_MS
  const soFar = (): Selection => ({ photos, bytes, leftOut, skipped })

  function take(one: Chosen): void {
    const { file, path } = one
    const inFolder = path !== ''
    if (inFolder && isHidden(one)) return
    const format = formatOf(file, formats)
    if (!format) {
      if (inFolder) skipped += 1
      else leftOut.push(`${file.name} is not a photo in one of the formats ${formatNames(formats)}.`)
      return
    }
    if (seen.has(identity(one))) return
    seen.add(identity(one))
    const problem = objection(file, format)
    if (problem) {
      leftOut.push(problem)
      return
    }
    photos.push(one)
    bytes += file.size
  }

  for await (const one of chosen) {
    if ('unreadable' in one) leftOut.push(`${one.unreadable} could not be read.`)
    else take(one)
    if (performance.now() < pauseAt) continue
    onProgress(soFar())
    await pause()
    pauseAt = performance.now() + SLICE_MS
  }
  return { ...soFar(), photos: [...photos], leftOut: [...leftOut] }
}

function identity({ file, path }: Chosen): string {
  return `${path}/${file.name}/${file.size}/${file.lastModified}`
}

function isHidden({ file, path }: Chosen): boolean {
  return file.name.startsWith('.') || path.split('/').some((part) => part.startsWith('.'))
}

/** Lets the browser paint and answer the user. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}
