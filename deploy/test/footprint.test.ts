import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { samplePhotos } from '@skyfolio/testkit'
import { expect, test } from 'vitest'
import { cameraView } from '../../web/src/map/camera-view.ts'
import { metresBetween, type Position } from '../../web/src/map/mercator.ts'

// What the map draws as the ground in a photograph, compared with photographs.

const samples = samplePhotos()

test.skipIf(samples === null)('the sample photographs of one flight overlap as their pictures do', async () => {
  const folder = dirname(dirname(samples?.drone[0] ?? ''))
  const expected = JSON.parse(await readFile(join(folder, 'expected.json'), 'utf8')) as Record<
    string,
    number & string
  >[]
  const views = (samples?.drone ?? []).map((path) => {
    const tags = expected.find(({ FileName }) => FileName === basename(path)) ?? {}
    const drone = Object.fromEntries(
      ['RelativeAltitude', 'GimbalYawDegree', 'GimbalPitchDegree', 'GimbalRollDegree'].map((name) => [
        name,
        Number(tags[name]),
      ]),
    )
    const { footprint } = cameraView({
      latitude: String(tags.GPSLatitude),
      longitude: String(tags.GPSLongitude),
      width: tags.ImageWidth ?? null,
      height: tags.ImageHeight ?? null,
      metadata: { Model: tags.Model, FocalLength: tags.FocalLength, drone },
    })
    return { name: basename(path), outline: footprint?.outline ?? [] }
  })
  const overlapping = views.flatMap(({ name, outline }, index) =>
    views.slice(index + 1).flatMap((other) => (overlap(outline, other.outline) ? [`${name} ${other.name}`] : [])),
  )
  // Compared by eye: the same roads, shadows and benches. All others have nothing in common.
  expect(overlapping).toEqual([
    'DJI_0018.JPG DJI_0030.JPG',
    'DJI_0021.JPG DJI_0024.JPG',
    'DJI_0021.JPG DJI_0035.JPG',
    'DJI_0024.JPG DJI_0035.JPG',
  ])
})

/** Whether two convex outlines overlap (separating axes). */
function overlap(first: Position[], second: Position[]): boolean {
  const flat = (outline: Position[]) =>
    outline
      .map((corner) => metresBetween(first[0] as Position, corner))
      .map(({ east, north }) => [east, north] as const)
  const [one, two] = [flat(first), flat(second)]
  return [one, two].every((outline) =>
    outline.every(([x, y], index) => {
      const [nextX, nextY] = outline[(index + 1) % outline.length] as readonly [number, number]
      const [axisX, axisY] = [nextY - y, x - nextX]
      const along = (points: typeof one) => points.map(([px, py]) => px * axisX + py * axisY)
      return Math.max(...along(one)) > Math.min(...along(two)) && Math.max(...along(two)) > Math.min(...along(one))
    }),
  )
}
