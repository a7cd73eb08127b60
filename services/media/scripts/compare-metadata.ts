import { execFile } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { startMetadataReader } from '../src/metadata/metadata-reader.ts'
import { COMPARED_TAGS, type ExifToolTags, findDifferences } from './metadata-comparison.ts'
import { formatOfFile, readFileMetadata } from './read-metadata.ts'

// `npm run check -- metadata:compare <folder>`: reads every photo of a folder as the worker does and with ExifTool, and prints
// the differences. Exits with 1 when there are any.

const execFileAsync = promisify(execFile)
const FILES_PER_CALL = 100
const MISSING = `ExifTool is not installed. Install it (Debian: apt-get install libimage-exiftool-perl) and run the command again.`

class UsageError extends Error {}

async function photosIn(folder: string): Promise<string[]> {
  const info = await stat(folder).catch(() => null)
  if (!info?.isDirectory()) throw new UsageError(`${folder} is not a folder.`)
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile() && formatOfFile(entry.name))
  return files.map((entry) => join(entry.parentPath, entry.name)).sort()
}

/** ExifTool prints what it can read of a damaged file and then exits with 1. */
async function runExifTool(files: string[]): Promise<Map<string, ExifToolTags>> {
  const tags = COMPARED_TAGS.map((tag) => `-${tag}`)
  const args = ['-n', '-json', '-q', '-m', ...tags, '--', ...files]
  const { stdout } = await execFileAsync('exiftool', args, { maxBuffer: 64 * 1024 * 1024 }).catch((error) => {
    if (error.code === 'ENOENT') throw new UsageError(MISSING)
    if (typeof error.stdout === 'string' && error.stdout !== '') return error as { stdout: string }
    throw error
  })
  const results = JSON.parse(stdout || '[]') as (ExifToolTags & { SourceFile: string })[]
  return new Map(results.map((tags) => [tags.SourceFile, tags]))
}

async function compareFolder(folder: string): Promise<number> {
  const photos = await photosIn(folder)
  if (photos.length === 0) throw new UsageError(`${folder} has no photos in an accepted format.`)
  const reader = startMetadataReader()
  let differing = 0
  for (let from = 0; from < photos.length; from += FILES_PER_CALL) {
    const batch = photos.slice(from, from + FILES_PER_CALL)
    const exifTool = await runExifTool(batch)
    for (const path of batch) {
      const { facts } = await readFileMetadata(reader, path)
      const lines = findDifferences(exifTool.get(path) ?? {}, facts)
      if (lines.length === 0) continue
      differing += 1
      process.stdout.write(`${relative(folder, path)}\n${lines.map((line) => `  ${line}\n`).join('')}`)
    }
  }
  await reader.stop()
  process.stdout.write(`${photos.length} photos, ${differing} with differences.\n`)
  return differing
}

const [folder] = process.argv.slice(2)
try {
  if (folder === undefined) throw new UsageError('Usage: npm run check -- metadata:compare <folder>')
  process.exitCode = (await compareFolder(folder)) > 0 ? 1 : 0
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
