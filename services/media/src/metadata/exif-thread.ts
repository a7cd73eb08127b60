import { parentPort } from 'node:worker_threads'
import exifr from 'exifr'
import { factsOf } from './facts.ts'
import { shownGroups } from './groups.ts'
import type { Question, Reading } from './reader.ts'
import type { TagGroups } from './values.ts'
import { readXmp } from './xmp.ts'

// Runs in a thread of its own: what a hostile file can make the parser do ends with the thread (see reader.ts).

const FACTS = {
  tiff: true,
  ifd0: {},
  exif: true,
  gps: true,
  // As text: exifr's reader lets a file write into the prototype of all objects.
  xmp: { parse: false },
  ifd1: false,
  interop: false,
  makerNote: false,
  userComment: false,
  icc: false,
  iptc: false,
  jfif: false,
  mergeOutput: false,
  // Values as they stand in the file: exifr's dates would be in the server's zone.
  reviveValues: false,
  translateValues: false,
  silentErrors: true,
}
const EVERYTHING = {
  ...FACTS,
  ifd1: true,
  interop: true,
  icc: true,
  iptc: true,
  jfif: true,
  ihdr: true,
  translateValues: true,
}

/** A file without tags gives none, and so does one with broken tags, which make the parser throw. */
async function tagsIn(file: Uint8Array, options: object): Promise<TagGroups> {
  const found: Record<string, unknown> = (await exifr.parse(file, options).catch(() => undefined)) ?? {}
  const { xmp, errors: _errors, ...groups } = found
  return { ...(groups as TagGroups), ...(typeof xmp === 'string' ? readXmp(xmp) : {}) }
}

parentPort?.on('message', async ({ file, withGroups }: Question) => {
  const facts = factsOf(await tagsIn(file, FACTS))
  const groups = withGroups ? shownGroups(await tagsIn(file, EVERYTHING)) : {}
  parentPort?.postMessage({ facts, groups } satisfies Reading)
})
parentPort?.postMessage('ready')
