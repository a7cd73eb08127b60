import { execFile } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { startMetadataReader } from '../src/metadata/metadata-reader.ts'
import { COMPARED_TAGS, differences, type ExifTool } from './metadata-comparison.ts'
import { formatOfFile, readFile } from './read-metadata.ts'

// `npm run check -- metadata:compare <folder>`: reads every photo of a folder as the worker does and as ExifTool does, and
// prints where they differ. Ends with 1 when they do.

const run = promisify(execFile)
const FILES_A_CALL = 100
const MISSING = `ExifTool is not installed here: install it (Debian: apt-get install libimage-exiftool-perl) and try again.`

class UsageError extends Error {}

async function photosIn(folder: string): Promise<string[]> {
  const info = await stat(folder).catch(() => null)
  if (!info?.isDirectory()) throw new UsageError(`${folder} is no folder.`)
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile() && formatOfFile(entry.name))
  return files.map((entry) => join(entry.parentPath, entry.name)).sort()
}

/** ExifTool says what it can of a damaged file and then ends with 1. */
async function askExifTool(files: string[]): Promise<Map<string, ExifTool>> {
  const tags = COMPARED_TAGS.map((tag) => `-${tag}`)
  const args = ['-n', '-json', '-q', '-m', ...tags, '--', ...files]
  const { stdout } = await run('exiftool', args, { maxBuffer: 64 * 1024 * 1024 }).catch((error) => {
    if (error.code === 'ENOENT') throw new UsageError(MISSING)
    if (typeof error.stdout === 'string' && error.stdout !== '') return error as { stdout: string }
    throw error
  })
  const said = JSON.parse(stdout || '[]') as (ExifTool & { SourceFile: string })[]
  return new Map(said.map((one) => [one.SourceFile, one]))
}

async function compareFolder(folder: string): Promise<number> {
  const photos = await photosIn(folder)
  if (photos.length === 0) throw new UsageError(`${folder} holds no photos in an accepted format.`)
  const reader = startMetadataReader()
  let differing = 0
  for (let from = 0; from < photos.length; from += FILES_A_CALL) {
    const some = photos.slice(from, from + FILES_A_CALL)
    const said = await askExifTool(some)
    for (const path of some) {
      const { facts } = await readFile(reader, path)
      const lines = differences(said.get(path) ?? {}, facts)
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
