import { fromBinary } from '@bufbuild/protobuf'
import { events } from '@skyfolio/proto'
import { dronePhoto } from '@skyfolio/testkit'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readFacts } from '../src/metadata/facts.ts'
import { projectionOf, readPanorama } from '../src/metadata/panorama.ts'
import { parseXmp } from '../src/metadata/parse-xmp.ts'
import type { PhotoResponse } from '../src/photos/photo-response.ts'
import { PHOTO_EVENTS, startTestMedia, type TestMedia, user } from './support.ts'

let media: TestMedia
beforeAll(async () => {
  media = await startTestMedia({ env: { DRAIN_SECONDS: '60' } })
  media.startWorker()
})
afterAll(() => media.close())

const EQUIRECTANGULAR = { ProjectionType: 'equirectangular' } as const
/** The upper half of the sphere, as a stitcher writes it that saw a quarter of the horizon. */
const PART = {
  FullPanoWidthPixels: 8000,
  FullPanoHeightPixels: 4000,
  CroppedAreaImageWidthPixels: 2000,
  CroppedAreaImageHeightPixels: 2000,
  CroppedAreaLeftPixels: 3000,
  CroppedAreaTopPixels: 0,
}
const readGpano = (tags: Record<string, unknown>) => readPanorama({ 'XMP-GPano': { ...EQUIRECTANGULAR, ...tags } })

test("reads a sphere and its initial view from XMP in attributes and elements, whatever the namespace's prefix", () => {
  const packet = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description xmlns:g="http://ns.google.com/photos/1.0/panorama/" g:ProjectionType="Equirectangular">
      <g:UsePanoramaViewer>True</g:UsePanoramaViewer><g:PoseHeadingDegrees>+81.50</g:PoseHeadingDegrees>
      <g:InitialViewHeadingDegrees>120</g:InitialViewHeadingDegrees><g:InitialViewPitchDegrees>-20</g:InitialViewPitchDegrees>
      <g:StitchingSoftware>Somebody's name</g:StitchingSoftware>
    </rdf:Description></rdf:RDF></x:xmpmeta>`
  expect(readFacts(parseXmp(packet)).metadata?.panorama).toEqual({
    ...EQUIRECTANGULAR,
    PoseHeadingDegrees: 81.5,
    InitialViewHeadingDegrees: 120,
    InitialViewPitchDegrees: -20,
  })
})

test.each([
  ['another projection', { ProjectionType: 'cylindrical' }],
  ['none', { ProjectionType: undefined }],
  ['a viewer that is turned off', { UsePanoramaViewer: 'False' }],
])('is no sphere: %s', (_what, tags) => {
  expect(readGpano(tags)).toBeUndefined()
})

test('a part of a sphere is complete and within it, or absent', () => {
  expect(readGpano(PART)).toEqual({ ...EQUIRECTANGULAR, ...PART })
  const impossible = [
    { FullPanoHeightPixels: undefined },
    { FullPanoHeightPixels: 8000 },
    { CroppedAreaImageWidthPixels: 0 },
    { CroppedAreaLeftPixels: -1 },
    { CroppedAreaLeftPixels: 7000 },
    { CroppedAreaTopPixels: 3000 },
    { FullPanoWidthPixels: 'Infinity' },
  ]
  for (const tags of impossible) expect(readGpano({ ...PART, ...tags }), JSON.stringify(tags)).toEqual(EQUIRECTANGULAR)
  expect(readGpano({ PoseHeadingDegrees: '1e9', PosePitchDegrees: 'up' })).toEqual(EQUIRECTANGULAR)
})

test.each([
  ['a whole sphere', EQUIRECTANGULAR, 8000, 4000, 'sphere'],
  ['its part', { ...EQUIRECTANGULAR, ...PART }, 2000, 2000, 'sphere'],
  ['its part, made smaller', { ...EQUIRECTANGULAR, ...PART }, 500, 500, 'sphere'],
  ['a sphere that an editor has cropped', EQUIRECTANGULAR, 4000, 3000, null],
  ['a sphere that an editor has cropped to a strip', EQUIRECTANGULAR, 8000, 1000, 'wide'],
  ['a wide picture', undefined, 5000, 2000, 'wide'],
  ['a picture that is a little less wide', undefined, 4999, 2000, null],
  ['a picture of the same shape as a sphere', undefined, 8000, 4000, null],
  ['a picture that is high', undefined, 1000, 4000, null],
  ['a sphere that is not processed', EQUIRECTANGULAR, null, null, null],
])('the projection of %s', (_what, panorama, width, height, expected) => {
  expect(projectionOf({ metadata: panorama ? { panorama } : null, width, height })).toBe(expected)
})

async function picture(width: number, height: number, panorama?: Record<string, string | number>): Promise<Buffer> {
  const base = await sharp({ create: { width, height, channels: 3, background: '#3060a0' } })
    .png()
    .toBuffer()
  return dronePhoto({ base, latitude: 46.8, longitude: -92, ...(panorama && { panorama }) })
}

async function upload(bytes: Buffer): Promise<PhotoResponse> {
  const { id } = await media.upload(1, {}, bytes)
  await media.processed(id)
  return shown(id)
}

const shown = async (id: number) =>
  (await media.json<PhotoResponse[]>('/api/photos', user(1))).find((photo) => photo.id === id) as PhotoResponse

async function lastEvent(id: number) {
  const rows = await media.db.outbox.findMany({ where: PHOTO_EVENTS, orderBy: { seq: 'asc' } })
  const all = rows.map(({ payload }) => fromBinary(events.photoChanged.schema, payload))
  return all.findLast(({ photo }) => photo?.id === id)
}

test('a sphere, a wide picture and an ordinary one are told apart, in responses and events', async () => {
  const panorama = { ...EQUIRECTANGULAR, UsePanoramaViewer: 'True', InitialViewHeadingDegrees: 90 }
  const sphere = await upload(await picture(1000, 500, panorama))
  expect(sphere.projection).toBe('sphere')
  expect(sphere.metadata?.panorama).toEqual({ ...EQUIRECTANGULAR, InitialViewHeadingDegrees: 90 })
  expect((await lastEvent(sphere.id))?.photo).toMatchObject({
    projection: 'sphere',
    metadata: { panorama: { InitialViewHeadingDegrees: 90 } },
  })
  const wide = await upload(await picture(1500, 500))
  expect([wide.projection, (await lastEvent(wide.id))?.photo?.projection]).toEqual(['wide', 'wide'])
  const ordinary = await upload(await picture(600, 400))
  expect([ordinary.projection, (await lastEvent(ordinary.id))?.photo?.projection]).toEqual([null, undefined])
})
