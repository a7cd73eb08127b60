import { once } from 'node:events'
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { dronePhoto } from '@skyfolio/testkit/photos'
import { dataDir } from '../paths.ts'
import { FLIGHTS, type Flight } from './flights.ts'
import { renderFlight } from './render.ts'

const folder = join(dataDir, 'demo-pictures')

export interface DemoPicture {
  flight: Flight
  file: string
}

/** The files of all pictures. What is missing is rendered, on all cores; a later call finds the files. */
export async function demoPictures(): Promise<DemoPicture[]> {
  await mkdir(folder, { recursive: true })
  const pictures = FLIGHTS.map((flight) => ({ flight, file: fileOf(flight) }))
  const found = await Promise.all(pictures.map(({ file }) => isThere(file)))
  const missing = [...FLIGHTS.keys()].filter((index) => !found[index])
  if (missing.length === 0) return pictures
  console.log(`Rendering ${missing.length} pictures for the demo …`)
  const takeNext = () => missing.shift()
  await Promise.all(
    Array.from({ length: Math.min(availableParallelism(), missing.length) }, () => renderNext(takeNext)),
  )
  return pictures
}

/** What a worker does: renders one flight into its file. */
export async function writePicture(index: number): Promise<void> {
  const flight = FLIGHTS[index]
  if (!flight) throw new Error(`There is no flight ${index}.`)
  const { latitude, longitude, ground, above, takenAt, model } = flight
  const photo = await dronePhoto({
    base: await renderFlight(flight),
    latitude,
    longitude,
    altitude: ground + above,
    relativeAltitude: above,
    takenAt,
    model,
    gimbal: { roll: 0, yaw: 0, pitch: flight.scene.tilt ? -30 : -90 },
  })
  await writeFile(`${fileOf(flight)}.new`, photo)
  await rename(`${fileOf(flight)}.new`, fileOf(flight))
}

export async function readPicture({ file }: DemoPicture): Promise<Blob> {
  return new Blob([new Uint8Array(await readFile(file))], { type: 'image/jpeg' })
}

/** Keeps one worker busy until no flight is left. */
async function renderNext(takeNext: () => number | undefined): Promise<void> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url))
  try {
    for (let index = takeNext(); index !== undefined; index = takeNext()) {
      const rendered = once(worker, 'message')
      worker.postMessage(index)
      await rendered
    }
  } finally {
    await worker.terminate()
  }
}

function fileOf({ title }: Flight): string {
  return join(folder, `${title}.jpg`)
}

function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  )
}
