import type { AppConfig } from '../../api/types.ts'
import { formatBytes, formatMegabytes, formatNumber } from '../../lib/format.ts'
import type { FileSelection } from './dialog-state.ts'
import type { ChosenFile } from './queue/items.ts'

type UploadFormat = AppConfig['formats'][number]

/** A file with its folder ('' when chosen by itself), or the name of an entry that could not be read. */
export type FoundFile = { file: File; path: string } | { unreadable: string }

/**
 * Hidden files and folders, with the copies of metadata that macOS writes beside each photo of a memory card ('._DJI_0001.JPG'), and what
 * Windows and network storage add without hiding it.
 */
const HIDDEN =
  /^(\..*|__MACOSX|(eh)?thumbs(_vista)?\.db|desktop\.ini|\$RECYCLE\.BIN|System Volume Information|@eaDir)$/i

/** Work on the main thread pauses after this time, which users do not notice. */
const SLICE_MS = 8

/**
 * Adds chosen files to a selection, without duplicates, hidden files, and files that the server would reject, and reports progress. Even
 * reading a file's size may access the disk, so thousands of files take a while: the page stays responsive.
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
  let [read, hidden] = [0, 0]
  let pauseAt = performance.now() + SLICE_MS
  const soFar = (): FileSelection => ({ photos, bytes, issues, skipped })

  function take(file: File, path: string): void {
    const inFolder = path !== ''
    const format = formatOf(file, formats)
    if (!format && inFolder) {
      skipped += 1
      return
    }
    const one = { file, bytes: file.size, path }
    const problem = format
      ? rejectionReason(one, format)
      : `${file.name} is not a photo in one of the formats ${formatNames(formats)}.`
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
    read += 1
    const names = 'unreadable' in one ? [one.unreadable] : [...one.path.split('/'), one.file.name]
    if (names.some((name) => HIDDEN.test(name))) hidden += 1
    else if ('unreadable' in one) issues.push(`${one.unreadable} could not be read.`)
    else take(one.file, one.path)
    if (performance.now() < pauseAt) continue
    onProgress(soFar())
    // The browser paints and handles input.
    await new Promise((resolve) => setTimeout(resolve))
    pauseAt = performance.now() + SLICE_MS
  }
  if (hidden > 0 && hidden === read) issues.push('Only hidden files were chosen, no photos.')
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

export function* listedFiles(files: readonly File[]): Iterable<FoundFile> {
  for (const file of files) yield { file, path: folderOf(file.webkitRelativePath) }
}

/**
 * The files of a drop, including those in dropped folders. The entries are taken synchronously, because a drop's data is gone after its event;
 * the folders are read afterwards.
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

/** All files in an entry, without those of hidden folders. Browsers return the entries of a folder a hundred at a time. */
export async function* walk(entry: FileSystemEntry): AsyncGenerator<FoundFile> {
  if (entry.isFile) yield fileOf(entry as FileSystemFileEntry)
  if (!entry.isDirectory) return
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  for (;;) {
    const entries = await nextEntries(reader)
    if (entries === null) yield { unreadable: entry.name }
    if (entries === null || entries.length === 0) return
    // In parallel: sequential reads take seconds for thousands of files.
    yield* await Promise.all(entries.filter(({ isFile }) => isFile).map((file) => fileOf(file as FileSystemFileEntry)))
    for (const entry of entries) if (entry.isDirectory && !HIDDEN.test(entry.name)) yield* walk(entry)
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

/** The format by a file's name or type; the server checks the content. */
function formatOf(file: File, formats: readonly UploadFormat[]): UploadFormat | undefined {
  const name = file.name.toLowerCase()
  return (
    formats.find(({ extensions }) => extensions.some((extension) => name.endsWith(extension))) ??
    formats.find(({ mediaType }) => mediaType === file.type)
  )
}

function rejectionReason({ file, bytes }: ChosenFile, format: UploadFormat): string | null {
  if (bytes === 0) return `${file.name} is empty.`
  if (bytes <= format.maxBytes) return null
  return `${file.name} is ${formatBytes(bytes)}: larger than ${formatMegabytes(format.maxBytes)}.`
}

export const LIST = new Intl.ListFormat('en-US')

/** 'JPEG, PNG, TIFF, GIF, BMP, and DNG'. */
function formatNames(formats: readonly UploadFormat[]): string {
  return LIST.format(formats.map(({ name }) => name))
}

/** What the limits of this installation allow, and what makes good prints. */
export function uploadRequirements({ limits, formats }: AppConfig): string[] {
  const { fileBytes, filesPerUpload, minWidth, minHeight } = limits
  const hint = `up to ${formatMegabytes(fileBytes)} each, max ${filesPerUpload} files per request; larger selections are sent in groups`
  const larger = Map.groupBy(
    formats.filter(({ maxBytes }) => maxBytes !== fileBytes),
    ({ maxBytes }) => maxBytes,
  )
  const megapixels = formatNumber(Math.floor(limits.maxPixels / 1_000_000))
  return [
    `${formatNames(formats)}, ${hint}`,
    ...[...larger].map(([bytes, group]) => `${formatNames(group)} up to ${formatMegabytes(bytes)}`),
    `At least ${minWidth}x${minHeight} pixels, 1200x1800 or more recommended; at most ${megapixels} megapixels`,
    'sRGB color space recommended',
  ]
}

export function acceptList(formats: readonly UploadFormat[]): string {
  return formats.flatMap(({ mediaType, extensions }) => [mediaType, ...extensions]).join(',')
}
