import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { reportedFiles, samplePhotos } from '@skyfolio/testkit'
import { afterAll, expect, test } from 'vitest'
import { startMetadataReader } from '../src/metadata/metadata-reader.ts'
import { type ExifToolTags, findDifferences, readFileMetadata } from './exiftool.ts'

const reader = startMetadataReader()
afterAll(() => reader.stop())
const samples = samplePhotos()

test.skipIf(!samples)('reads the same metadata from every sample file as ExifTool', async () => {
  const { drone, exif } = samples ?? { drone: [], exif: [] }
  const files = [...drone, ...exif]
  const expected: (ExifToolTags & { FileName: string })[] = JSON.parse(
    readFileSync(join(drone[0] ?? '', '../../expected.json'), 'utf8'),
  )
  expect(expected.map(({ FileName }) => FileName).sort()).toEqual(files.map((path) => basename(path)).sort())
  for (const path of files) {
    const exifTool = expected.find(({ FileName }) => FileName === basename(path)) as ExifToolTags
    const { facts } = await readFileMetadata(reader, path)
    expect([basename(path), findDifferences(exifTool, facts)]).toEqual([basename(path), []])
  }
})

test.skipIf(!samples)('returns all tags of a sample file as JSON of bounded size, in groups', async () => {
  const { drone, exif } = samples ?? { drone: [], exif: [] }
  for (const path of [...drone, ...exif]) {
    const { groups } = await readFileMetadata(reader, path)
    const json = JSON.stringify(groups)
    expect(JSON.parse(json)).toEqual(groups)
    expect(json.length, path).toBeLessThan(220_000)
    expect(json, path).not.toMatch(/\\u0000|\[object/)
  }
  const { groups } = await readFileMetadata(reader, drone[0] ?? '')
  expect(groups).toMatchObject({
    IFD0: { Make: 'DJI', Orientation: 'Horizontal (normal)', XPComment: '0.9.138' },
    EXIF: { ExifVersion: '0230', ExposureTime: 0.002702, ComponentsConfiguration: '0 3 2 1' },
    GPS: { GPSLatitude: '46, 50, 33.3855', GPSLatitudeRef: 'N' },
    'XMP-drone-dji': { RelativeAltitude: '+39.80' },
  })
})

test.skipIf(!samples)('knows which sample photos of one flight were turned after it', async () => {
  const folder = dirname(samples?.drone[0] ?? '')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.JPG'))
  const isTurned = async (name: string) => (await readFileMetadata(reader, join(folder, name))).facts.metadata?.turned
  const turned: string[] = []
  for (const name of files) if (await isTurned(name)) turned.push(basename(name))
  expect([files.length, turned.sort()]).toEqual([18, [24, 25, 26, 27, 28, 29].map((number) => `DJI_00${number}.JPG`)])
})

const reports = reportedFiles().filter(({ id }) => id.startsWith('M'))

test.skipIf(reports.length === 0)('reads what is right from the files of reported faults in metadata', async () => {
  expect(reports.length).toBeGreaterThan(90)
  for (const { path, expected } of reports) {
    const { facts } = await readFileMetadata(reader, path)
    const { dateTaken, latitude, longitude, altitude, metadata, track } = expected as Expected
    const wanted = Object.fromEntries(
      Object.entries({ dateTaken, latitude, longitude, altitude, metadata }).filter(([, value]) => value !== undefined),
    )
    expect([basename(path), facts]).toMatchObject([basename(path), wanted])
    const yaw = track?.yaw
    if (yaw === undefined) continue
    const headings = typeof yaw === 'object' && yaw !== null ? yaw.anyOf : [yaw]
    expect([basename(path), headings]).toEqual([
      basename(path),
      expect.arrayContaining([facts.metadata?.heading ?? null]),
    ])
  }
})

/** Right values of a file, where several are right all of them. */
interface Expected {
  dateTaken?: unknown
  latitude?: unknown
  longitude?: unknown
  altitude?: unknown
  metadata?: object
  track?: { yaw?: number | null | { anyOf: unknown[] } }
}
