import { parentPort } from 'node:worker_threads'
import exifr from 'exifr'
import { toDisplayGroups } from './display-groups.ts'
import { readFacts } from './facts.ts'
import type { FileMetadata, ReadRequest } from './metadata-reader.ts'
import { parseXmp } from './parse-xmp.ts'
import type { TagGroups } from './tag-values.ts'

/** For the tags that facts are read from, with raw values. */
const FACT_OPTIONS = {
  tiff: true,
  ifd0: {},
  exif: true,
  gps: true,
  // As text: exifr's own XMP reader lets a file write to Object.prototype.
  xmp: { parse: false },
  ifd1: false,
  interop: false,
  makerNote: false,
  userComment: false,
  icc: false,
  iptc: true,
  ihdr: true,
  jfif: false,
  mergeOutput: false,
  // Values as they are in the file: exifr would put dates into the server's time zone.
  reviveValues: false,
  translateValues: false,
  silentErrors: true,
}
/** For all tags, with values translated for display. */
const ALL_OPTIONS = {
  ...FACT_OPTIONS,
  ifd1: true,
  interop: true,
  icc: true,
  jfif: true,
  translateValues: true,
}

/** EXIF by exifr, XMP by `parseXmp`. Empty for a file without tags, and for one with broken tags, for which exifr throws. */
async function parseTags(file: Uint8Array, options: object): Promise<TagGroups> {
  const parsed: Record<string, unknown> = (await exifr.parse(file, options).catch(() => undefined)) ?? {}
  const { xmp, errors: _errors, ...groups } = parsed
  return { ...(groups as TagGroups), ...(typeof xmp === 'string' ? parseXmp(xmp) : {}) }
}

// The worker thread of metadata-reader.ts: whatever a hostile file makes the parser do ends with this thread.

parentPort?.on('message', async ({ file, withGroups }: ReadRequest) => {
  const facts = readFacts(await parseTags(file, FACT_OPTIONS))
  const groups = withGroups ? toDisplayGroups(await parseTags(file, ALL_OPTIONS)) : {}
  parentPort?.postMessage({ facts, groups } satisfies FileMetadata)
})
parentPort?.postMessage('ready')
