import { parentPort } from 'node:worker_threads'
import exifr from 'exifr'
import { factsOf } from './facts.ts'
import type { TagGroups } from './values.ts'

// Runs in a thread of its own: what a hostile file can make the parser do ends with the thread (see reader.ts).

const OPTIONS = {
  tiff: true,
  ifd0: {},
  exif: true,
  gps: true,
  xmp: true,
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

parentPort?.on('message', async (file: Uint8Array) => {
  // A file without tags gives undefined; one with broken tags makes it throw.
  const tags: TagGroups | undefined = await exifr.parse(file, OPTIONS).catch(() => undefined)
  parentPort?.postMessage(factsOf(tags ?? {}))
})
parentPort?.postMessage('ready')
