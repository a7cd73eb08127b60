import { readFile } from 'node:fs/promises'
import { type DronePhotoOptions, dronePhoto } from '@skyfolio/testkit'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findAxeViolations } from './axe.ts'
import { fillGallery, findPhoto, LAKE, plainPicture, readJson, uploadPhoto, waitUntilReady } from './gallery-photos.ts'
import { groundPixels, hasFocus, type OwnerFixture, startOwnerFixture } from './owner-fixture.ts'
import type { Point } from './touch.ts'
import { readZip } from './zip-file.ts'

// Flights: an owner finds one, looks at its track, exports it, makes a folder of it, and places photos by the track of another device.
let fixture: OwnerFixture
let page: Page

beforeAll(async () => {
  fixture = await startOwnerFixture()
  page = fixture.page
})

afterAll(() => fixture?.close())

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const heading = (name: string | RegExp) => page.getByRole('heading', { name, exact: true })
const toast = (text: string) => page.locator('[data-toasts]').getByText(text, { exact: true })

test('says how flights come to be, and makes them of photos without a reload, the newest first', async () => {
  await page.goto('/flights')
  await heading('No flights yet').waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await fillGallery(fixture.api)
  await expect
    .poll(() => page.getByRole('article').allInnerTexts())
    .toEqual([expect.stringMatching(/New York.*6 photos/s), expect.stringMatching(/Duluth.*3 photos/s)])
})

test('opens a flight from below the map, with its facts, its track and its photos', async () => {
  await page.goto('/?view=map')
  await heading('Newest flights').waitFor()
  await page.getByRole('link', { name: /^Duluth/ }).click()
  await heading(/^Duluth/).waitFor()
  await page.getByRole('application', { name: 'Track of 3 photos' }).waitFor()
  const strip = page.getByRole('listbox', { name: 'Photos of the flight' })
  expect(await strip.getByRole('option').count()).toBe(3)
  await strip.focus()
  await page.keyboard.press('End')
  await page.getByText('lake-3', { exact: true }).waitFor()
  await page.getByText(/Facing .*45/).waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
})

test('exports the positions of a flight, and those of the photos on the map', async () => {
  await button('Export').click()
  const [flight] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /^GPX/ }).click(),
  ])
  expect(flight.suggestedFilename()).toMatch(/^Duluth.*\.gpx$/)
  expect((await readFile(await flight.path(), 'utf8')).match(/<trkpt /g)).toHaveLength(3)

  await page.goto('/?view=map&q=city')
  await button('Export positions').click()
  const [found] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /^GeoJSON/ }).click(),
  ])
  expect(found.suggestedFilename()).toMatch(/^skyfolio-photos-.*\.geojson$/)
  const { features } = JSON.parse(await readFile(await found.path(), 'utf8'))
  expect(features.filter(({ geometry }: { geometry: { type: string } }) => geometry.type === 'Point')).toHaveLength(6)
})

test('makes a folder of a flight in one action, and takes it back by Undo', async () => {
  await page.goto('/flights')
  await page.getByRole('link', { name: /^Duluth/ }).click()
  await button('Make a folder').click()
  await page.getByRole('dialog', { name: 'Make a folder' }).waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await page.getByRole('textbox', { name: 'Name' }).fill('Morning at the lake')
  await button('Make folder').click()
  await heading('Morning at the lake').waitFor()
  await page.getByRole('gridcell', { name: /^lake-3/ }).waitFor()
  await button('Undo').click()
  await toast('Folder removed').waitFor()
  await heading(/^Duluth/).waitFor()
  expect(await readJson(fixture.api.get('/api/folders'))).toEqual([])
})

/** A track along the shore of Duluth: five minutes before the photos of the lake until five minutes after them. */
const GPX = `<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>
  <trkpt lat="46.84" lon="-92.00"><time>2016-06-23T21:27:00Z</time></trkpt>
  <trkpt lat="46.85" lon="-91.99"><time>2016-06-23T21:37:00Z</time></trkpt></trkseg></trk></gpx>`
const FILE = { name: 'shore.gpx', mimeType: 'application/gpx+xml', buffer: Buffer.from(GPX) }

const dialog = (name: RegExp) => page.getByRole('dialog', { name })
const positionOf = async (title: string) => {
  const { id } = await findPhoto(fixture.api, title)
  const [photo] = await readJson<Record<'latitude' | 'longitude', string | null>[]>(
    fixture.api.get(`/api/photos?ids=${id}`),
  )
  return [photo?.latitude, photo?.longitude].map((degrees) => (degrees ? Number(degrees) : null))
}

/** Drops a file on the page. */
async function drop(name: string, content: string): Promise<void> {
  const data = await page.evaluateHandle(
    ([name, content]) => {
      const data = new DataTransfer()
      data.items.add(new File([content], name))
      return data
    },
    [name, content] as const,
  )
  await page.dispatchEvent('main', 'drop', { dataTransfer: data })
}

test('places a photo of the same day by a track, at the offset that fits, and takes it back by Undo', async () => {
  const { id } = await findPhoto(fixture.api, 'plain')
  await readJson(fixture.api.patch(`/api/photos/${id}`, { data: { dateTaken: '2016-06-23T16:32:00' } }))
  await button('Place with a GPX track…').click()
  await dialog(/with a GPX track/).waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button('Choose a GPX file').click()])
  await chooser.setFiles({ ...FILE, buffer: Buffer.from('<kml/>') })
  await page.getByText('shore.gpx is not a GPX file.').waitFor()
  await drop('shore.gpx', GPX)
  await page.getByRole('application', { name: 'Track with 1 photo' }).waitFor()
  await page.getByText('The photo is on the track.').waitFor()
  expect(await page.getByLabel('Time zone of the camera').inputValue()).toBe('-300')
  const correction = page.getByLabel("Add to the camera's clock")
  await correction.fill('+1:00:00')
  await page.getByText('The photo is not on the track.').waitFor()
  await page.getByText(/55 min after the track/).waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await correction.fill('0:00:59')
  await correction.press('ArrowUp')
  expect(await correction.inputValue()).toBe('+0:01:00')
  await button('Place 1 photo').click()
  await toast('Position set').waitFor()
  expect(await positionOf('plain')).toEqual([46.846, -91.994])
  await button('Undo').click()
  await toast('Undone').waitFor()
  expect(await positionOf('plain')).toEqual([null, null])

  const flight = '**/api/flights/*'
  await page.route(flight, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), photoCount: 2001 } })
  })
  await page.reload()
  await button('Place with a GPX track…').click()
  await page.getByText(/up to 2,000 photos at once/).waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await page.getByRole('link', { name: 'in the gallery' }).click()
  await page.getByRole('gridcell', { name: /^plain/ }).waitFor()
  expect(await page.getByRole('gridcell', { name: /^(plain|lake-)/ }).count()).toBe(4)
  await page.unroute(flight)
})

test('places selected photos by a dropped track, which is no upload, and says which are not on it', async () => {
  await page.goto('/?view=grid&sort=taken-oldest')
  await page.getByRole('gridcell', { name: /^lake-1/ }).waitFor()
  await drop('shore.gpx', GPX)
  await toast('Select photos first').waitFor()
  await button('Select').click()
  await button('Select All').click()
  await drop('shore.gpx', GPX)
  await page.getByText('The photo is on the track.').waitFor()
  await page.getByLabel('All these photos').check()
  await page.getByText('4 of 10 photos are on the track.').waitFor()
  const others = page.getByRole('region', { name: 'Photos that are not placed' })
  await others
    .getByText(/days after the track/)
    .first()
    .waitFor()
  expect(await others.getByRole('listitem').count()).toBe(6)
  await button('Place 4 photos').click()
  await toast('4 photos have a new position').waitFor()
  expect(await positionOf('lake-1')).toEqual([46.8449833, -91.9950167])
  await button('Undo').click()
  await toast('Undone').waitFor()
  expect(await positionOf('lake-1')).toEqual([46.842607, -91.99446])
  expect(await page.getByRole('dialog').count()).toBe(0)
})

/** Chooses a format of the menu and starts the export. */
async function startExport(format: string): Promise<void> {
  await button('Export').click()
  await page.getByRole('menuitem', { name: format }).click()
  await page.getByText('of 5 photos').waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await dialog(new RegExp(format)).getByRole('button', { name: 'Export', exact: true }).click()
}

async function savedArchive(): Promise<{ name: string; files: Map<string, Buffer> }> {
  const download = await page.waitForEvent('download')
  return { name: download.suggestedFilename(), files: readZip(await readFile(await download.path())) }
}

const middleOf = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

test('exports the pictures of a flight for Google Earth: one that fails can be tried again, one that is gone is named', async () => {
  const oblique = { ...LAKE, gimbal: { roll: 0, yaw: 45, pitch: -45 } }
  await uploadPhoto(fixture.api, 'shore.jpg', await dronePhoto(oblique))
  await uploadPhoto(fixture.api, 'low.jpg', await dronePhoto({ ...LAKE, relativeAltitude: 0 }))
  await waitUntilReady(fixture.api)
  await expect
    .poll(async () => (await readJson<{ photoCount: number }[]>(fixture.api.get('/api/flights'))).at(-1)?.photoCount)
    .toBe(5)
  const [failing, gone] = await Promise.all(['lake-2', 'lake-3'].map((title) => findPhoto(fixture.api, title)))
  let failures = 0
  await page.route(`**${failing?.previewUrl}`, (route) =>
    failures++ === 0 ? route.fulfill({ status: 503 }) : route.continue(),
  )
  await page.route(`**${gone?.previewUrl}`, (route) => route.fulfill({ status: 404 }))

  await page.goto('/flights')
  await page.getByRole('link', { name: /^Duluth/ }).click()
  await startExport('KMZ with pictures')
  await page.getByText('4 of 5 photos').waitFor()
  await page.getByText(/1 photo is left out: Taken at or below the height of take-off/).waitFor()
  await button('Try again').waitFor()
  const [{ name, files }] = await Promise.all([savedArchive(), button('Try again').click()])
  await page.getByText('Left out, because they could not be loaded: lake-3').waitFor()
  expect.soft(await findAxeViolations(page)).toEqual([])
  await dialog(/KMZ/).getByRole('button', { name: 'Close' }).last().click()
  await page.unrouteAll()

  expect(name).toMatch(/^Duluth.*\.kmz$/)
  const kml = files.get('doc.kml')?.toString() ?? ''
  const names = [...kml.matchAll(/<GroundOverlay><name>([^<]+)</g)].map(([, name]) => name)
  expect(names).toEqual(['shore', 'lake-1', 'lake-2'])
  const paths = [...kml.matchAll(/<href>([^<]+)</g)].map(([, path]) => path)
  expect([...files.keys()].toSorted()).toEqual(['doc.kml', ...paths].toSorted())
  const quads = [...kml.matchAll(/<coordinates>([^<]+)</g)].map(([, text = '']) =>
    text.split(' ').map((corner) => corner.split(',').map(Number) as [number, number]),
  )
  const lake = quads[1] ?? []
  expect(middleOf(lake.map(([longitude]) => longitude))).toBeCloseTo(LAKE.longitude + 0.0001, 6)
  expect(middleOf(lake.map(([, latitude]) => latitude))).toBeCloseTo(LAKE.latitude, 6)
  const { format } = await sharp(files.get(paths[1] ?? '')).metadata()
  expect(format).toBe('jpeg')
})

test('exports the photos of a flight that look straight down with world files', async () => {
  await startExport('JPEG with world files')
  const { name, files } = await savedArchive()
  await page.getByText('3 of 5 photos').waitFor()
  await page.getByText('1 photo is left out: The camera did not look straight down.').waitFor()
  await dialog(/world files/)
    .getByRole('button', { name: 'Close' })
    .last()
    .click()

  expect(name).toMatch(/^Duluth.*\.zip$/)
  const titles = ['1 lake-1', '2 lake-2', '3 lake-3']
  expect([...files.keys()]).toEqual(
    titles.flatMap((title) => ['jpg', 'jgw', 'prj', 'jpg.aux.xml'].map((end) => `${title}.${end}`)),
  )
  const { width, height, exif } = await sharp(files.get('1 lake-1.jpg')).metadata()
  expect({ width, exif }).toEqual({ width: 1024, exif: undefined })
  const numbers = files.get('1 lake-1.jgw')?.toString().trim().split('\n').map(Number) ?? []
  const [a = 0, d = 0, b = 0, e = 0, c = 0, f = 0] = numbers
  // The top of the picture is in the north-east: columns go south-east.
  expect([a, -d, -b, -e].map((value) => value / a)).toEqual([1, 1, 1, 1].map((value) => expect.closeTo(value, 3)))
  const radius = 6_378_137
  const latitude = (LAKE.latitude * Math.PI) / 180
  const [x, y] = [((LAKE.longitude + 0.0001) * Math.PI * radius) / 180, radius * Math.asinh(Math.tan(latitude))]
  expect(c + (a * (width - 1) + b * (height - 1)) / 2).toBeCloseTo(x, 1)
  expect(f + (d * (width - 1) + e * (height - 1)) / 2).toBeCloseTo(y, 1)
})

type Metres = readonly [east: number, north: number]

const FIELD = { latitude: 46.2, longitude: 6.1 }
const RADIUS = 6_378_137
const METRES_PER_DEGREE = (RADIUS * Math.PI) / 180
/** The length of a degree of longitude, relative to one of latitude. */
const shrinking = (latitude: number) => Math.cos((latitude * Math.PI) / 180)
const onField = ([east, north]: Metres) => ({
  latitude: FIELD.latitude + north / METRES_PER_DEGREE,
  longitude: FIELD.longitude + east / METRES_PER_DEGREE / shrinking(FIELD.latitude),
})

const COLOURS = { red: 0xff0000, green: 0x00ff00, blue: 0x0000ff, yellow: 0xffff00, cyan: 0x00ffff, white: 0xffffff }
const { red, green, blue, yellow, cyan, white } = COLOURS
const colourOf = ([r = 0, g = 0, b = 0, alpha = 0]: number[]) => {
  const seen = [r, g, b].reduce((colour, part) => colour * 256 + (part > 127 ? 255 : 0), 0)
  return alpha === 255 ? Object.entries(COLOURS).find(([, colour]) => colour === seen)?.[0] : `alpha ${alpha}`
}

/** A photo that was taken so many metres from the corner of the field, at a second of the flight. */
async function uploadPicture(title: string, at: Metres, second: number, shot: Partial<DronePhotoOptions>) {
  const takenAt = `2024:07:01 10:00:${String(second).padStart(2, '0')}`
  await uploadPhoto(fixture.api, `${title}.jpg`, await dronePhoto({ ...onField(at), takenAt, ...shot }))
}

/** A photo of the same camera without DJI's tags. */
async function uploadWithoutPose(title: string, gps: Record<string, string>): Promise<void> {
  const takenAt = '2024:07:01 10:00:01'
  const exif = {
    IFD0: { Make: 'DJI', Model: 'FC300S' },
    IFD2: { DateTimeOriginal: takenAt, DateTimeDigitized: takenAt },
    IFD3: {
      GPSLatitudeRef: 'N',
      GPSLatitude: '46/1 12/1 0/1',
      GPSLongitudeRef: 'E',
      GPSLongitude: '6/1 6/1 0/1',
      ...gps,
    },
  }
  await uploadPhoto(
    fixture.api,
    `${title}.jpg`,
    await sharp(await plainPicture(white))
      .withExif(exif)
      .jpeg()
      .toBuffer(),
  )
}

/** Waits until all these photos are one flight. @returns its id */
async function flightOf(photoCount: number): Promise<number> {
  const find = async () => {
    const flights = await readJson<{ id: number; photoCount: number }[]>(fixture.api.get('/api/flights'))
    return flights.find((flight) => flight.photoCount === photoCount)?.id
  }
  await expect.poll(find).toBeDefined()
  return (await find()) ?? 0
}

const ground = () => page.getByRole('region', { name: 'Photos on the ground' })
const says = (text: string | RegExp) => ground().getByText(text).waitFor()

/** The ring around the chosen photo, from the corner of the map. */
function ringAt(): Promise<Point> {
  return page.locator('.photo-map').evaluate((map) => {
    const circle = [...map.querySelectorAll('path')].find((path) => path.getAttribute('d')?.includes('a'))
    const [outer, inner] = [map, circle ?? map].map((element) => element.getBoundingClientRect())
    if (!outer || !inner) return [0, 0]
    return [inner.left + inner.width / 2 - outer.left, inner.top + inner.height / 2 - outer.top]
  })
}

/** Measures the map at a latitude by the rings of the first photo and of the last, which is so many metres east of it. */
async function measureMap(latitude: number, metres: number): Promise<{ start: Point; pixelsPerMetre: number }> {
  const strip = page.getByRole('listbox', { name: 'Photos of the flight' })
  const ring = async (key: string, isThere: (x: number) => boolean) => {
    await strip.press(key)
    await expect.poll(async () => isThere((await ringAt())[0])).toBe(true)
    return ringAt()
  }
  const end = await ring('End', (x) => x > 0)
  const start = await ring('Home', (x) => x < end[0])
  // At a whole zoom.
  const world = (2 * Math.PI * RADIUS * shrinking(latitude)) / 256
  const zoom = Math.round(Math.log2(((end[0] - start[0]) / metres) * world))
  return { start, pixelsPerMetre: 2 ** zoom / world }
}

let view: Awaited<ReturnType<typeof measureMap>>
const pixelsAt = (places: readonly Metres[]) => {
  const { start, pixelsPerMetre } = view
  return groundPixels(
    page,
    places.map(([east, north]) => [start[0] + east * pixelsPerMetre, start[1] - north * pixelsPerMetre]),
  )
}
const coloursAt = async (...places: Metres[]) => (await pixelsAt(places)).map(colourOf)

/** North-west, north-east, south-east and south-west of a place. */
const around = (east: number): Metres[] => [
  [east - 15, 15],
  [east + 15, 15],
  [east + 15, -15],
  [east - 15, -15],
]
const OBLIQUE = { roll: 0, yaw: 90, pitch: -45 }
const DOWN = { roll: 0, yaw: 0, pitch: -90 }

test('lays the photos of a flight on the ground once that is switched on, as their cameras looked', async () => {
  const quarters = await plainPicture(red, green, blue, yellow)
  const east = { base: quarters, gimbal: { roll: 0, yaw: 90, pitch: -90 } }
  const low = { relativeAltitude: 20 }
  // Before the older one: only their times tell which is newer.
  await uploadPicture('newer', [180, 0], 4, { base: await plainPicture(cyan), gimbal: DOWN })
  await Promise.all([
    uploadPicture('east', [0, 0], 0, east),
    uploadPicture('turned', [80, 0], 2, { ...east, software: 'Microsoft Windows Photo Viewer 10.0.10240.16384' }),
    uploadPicture('older', [160, 0], 3, { base: await plainPicture(red), gimbal: DOWN }),
    uploadPicture('down', [270, 0], 5, { ...low, base: await plainPicture(yellow), gimbal: DOWN }),
    uploadPicture('oblique', [240, 0], 6, { ...low, base: await plainPicture(blue), gimbal: OBLIQUE }),
    uploadWithoutPose('aimless', {}),
    uploadWithoutPose('levelless', { GPSImgDirectionRef: 'T', GPSImgDirection: '90/1' }),
  ])
  await waitUntilReady(fixture.api)
  const flight = await flightOf(8)

  const requested: string[] = []
  page.on('request', (request) => requested.push(`${request.resourceType()} ${request.url()}`))
  const code = () => requested.filter((url) => /\/ground-pictures[^/]*\.js$/.test(url))
  const lists = () => requested.filter((url) => url.includes('area='))
  const pictures = () => requested.filter((url) => /^fetch .*\.(webp|avif|jpe?g)/.test(url))
  await page.goto(`/flights/${flight}`)
  await page.getByRole('application', { name: 'Track of 8 photos' }).waitFor()
  view = await measureMap(FIELD.latitude, 240)
  expect([code(), lists(), pictures()]).toEqual([[], [], []])
  expect(await page.locator('.ground-pictures').count()).toBe(0)

  await button('Photos on the ground').click()
  await says('6 pictures')
  await expect.poll(() => coloursAt(...around(0))).toEqual(['blue', 'red', 'green', 'yellow'])
  await expect.poll(() => coloursAt(...around(80))).toEqual(['green', 'yellow', 'blue', 'red'])
  // The edges: 40 metres up it shows 69 metres by 52.
  expect(await coloursAt([-24, 33], [-28, 33], [-24, 37])).toEqual(['blue', 'alpha 0', 'alpha 0'])
  await says('1 photo left out: No heading in this photo')
  await says('1 photo left out: No height above take-off in this photo')
  expect.soft(await findAxeViolations(page)).toEqual([])
  expect([code().length, lists().length]).toEqual([1, 1])

  await button('Zoom out of the map').click()
  await says('6 pictures')
  await button('Zoom in on the map').click()
  await expect.poll(() => coloursAt(...around(0))).toEqual(['blue', 'red', 'green', 'yellow'])
  expect(pictures().length).toBeGreaterThanOrEqual(6)
  expect(new Set(pictures()).size).toBe(pictures().length)
})

test('lays newer pictures over older ones, those that look down over oblique ones, and lets these fade', async () => {
  await expect.poll(() => coloursAt([130, 0], [165, 0], [200, 0])).toEqual(['red', 'cyan', 'cyan'])
  await expect.poll(() => coloursAt([250, 0], [275, 0], [300, 0])).toEqual(['blue', 'yellow', 'blue'])
  // 20 metres up it shows the ground from 4 to 94 metres ahead.
  const alphas = (await pixelsAt([300, 315, 325, 332, 337].map((east) => [east, 0]))).map(([, , , alpha]) => alpha ?? 0)
  expect(alphas).toEqual(alphas.toSorted((one, other) => other - one))
  expect(new Set(alphas).size).toBe(5)
  expect([alphas.at(0), alphas.at(-1)]).toEqual([255, 0])
})

/** The opacity of the pictures, whichever element has it. */
const opacity = () =>
  page.locator('.ground-pictures canvas').evaluate((canvas) => {
    let product = 1
    for (let element: Element | null = canvas; element; element = element.parentElement)
      product *= Number(getComputedStyle(element).opacity)
    return product
  })

test('changes the opacity of the pictures, and takes them away', async () => {
  const slider = ground().getByRole('slider', { name: 'Opacity' })
  await slider.press('Home')
  await expect.poll(opacity).toBeLessThan(0.5)
  await slider.press('End')
  await expect.poll(opacity).toBe(1)
  await button('Photos on the ground').click()
  await ground().waitFor({ state: 'detached' })
  expect(await page.locator('.ground-pictures').count()).toBe(0)
})

test('says which picture could not be loaded, and loads it once more', async () => {
  const { id } = await findPhoto(fixture.api, 'east')
  const [photo] = await readJson<Record<string, unknown>[]>(fixture.api.get(`/api/photos?ids=${id}`))
  const urls = Object.entries(photo ?? {}).flatMap(([key, value]) => (key.endsWith('Url') ? [String(value)] : []))
  const isPicture = (url: URL) => urls.includes(url.pathname + url.search)
  await page.route(isPicture, (route) =>
    route.request().resourceType() === 'fetch' ? route.abort() : route.continue(),
  )
  await button('Photos on the ground').click()
  await says(/1 picture could not be loaded/)
  await expect.poll(() => coloursAt([-15, 15], [95, 15])).toEqual(['alpha 0', 'yellow'])
  await page.unroute(isPicture)
  await ground().getByRole('button', { name: 'Try again' }).click()
  await expect.poll(() => coloursAt([-15, 15])).toEqual(['blue'])
  await ground()
    .getByText(/could not be loaded/)
    .waitFor({ state: 'detached' })
})

/** Drags the pictures, in pixels. */
async function dragPictures(right: number, down: number): Promise<void> {
  await button('Shift the flight…').click()
  await button('Shift the flight').waitFor()
  await page.locator('.photo-map').scrollIntoViewIfNeeded()
  const box = await page.locator('.photo-map').boundingBox()
  const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + right, y + down, { steps: 3 })
  await page.mouse.up()
}

const TITLES = ['east', 'turned', 'newer', 'older', 'down', 'oblique', 'aimless', 'levelless']
const positions = () => Promise.all(TITLES.map(positionOf))

test('shifts a flight by dragging its pictures: nothing before it is confirmed, and Undo takes it back', async () => {
  const before = await positions()
  const { pixelsPerMetre } = view
  const [right, down] = [60, 20]
  const shifted: Metres = [-15 + right / pixelsPerMetre, 15 - down / pixelsPerMetre]
  const leave = [() => page.keyboard.press('Escape'), () => button('Cancel').click()]
  for (const cancel of leave) {
    await dragPictures(right, down)
    await expect.poll(() => coloursAt(shifted)).toEqual(['blue'])
    await cancel()
    await expect.poll(() => coloursAt([-15, 15], shifted)).toEqual(['blue', 'red'])
    await expect.poll(() => hasFocus(button('Shift the flight…'))).toBe(true)
  }
  expect(await positions()).toEqual(before)

  await dragPictures(right, down)
  await page.keyboard.press('ArrowRight')
  const [east, south] = [(right + 8) / pixelsPerMetre, down / pixelsPerMetre]
  await says(new RegExp(` ${Number(Math.hypot(east, south).toFixed(1))} m to the east`))
  expect.soft(await findAxeViolations(page)).toEqual([])
  await button('Shift the flight').click()
  await toast('Flight shifted').waitFor()
  const way = [-south / METRES_PER_DEGREE, east / METRES_PER_DEGREE / shrinking(FIELD.latitude)]
  expect(await positions()).toEqual(
    before.map((position) => position.map((degrees, axis) => expect.closeTo((degrees ?? 0) + (way[axis] ?? 0), 6))),
  )
  await button('Undo').click()
  await toast('Undone').waitFor()
  expect(await positions()).toEqual(before)
})

test('takes a shift back after a reload, too', async () => {
  const before = await positions()
  await page.reload()
  await button('Photos on the ground').click()
  await says('6 pictures')
  expect(await button('Undo the shift').count()).toBe(0)
  await dragPictures(30, -50)
  await button('Shift the flight').click()
  await toast('Flight shifted').waitFor()
  expect(await positions()).not.toEqual(before)
  await page.reload()
  await button('Photos on the ground').click()
  await button('Undo the shift').click()
  await toast('Shift undone').waitFor()
  expect(await positions()).toEqual(before)
  await button('Undo the shift').waitFor({ state: 'detached' })
})

test('lays the photos of a flight over the date line beside each other', async () => {
  const [latitude, takenAt] = [-17, '2024:08:01 10:00:00']
  for (const [longitude, colour] of [
    [179.9997, red],
    [-179.9997, cyan],
  ] as const) {
    const shot = { latitude, longitude, takenAt: longitude > 0 ? takenAt : takenAt.replace(/0$/, '5') }
    const photo = await dronePhoto({ ...shot, relativeAltitude: 30, base: await plainPicture(colour), gimbal: DOWN })
    await uploadPhoto(fixture.api, `line-${longitude}.jpg`, photo)
  }
  await waitUntilReady(fixture.api)
  await page.goto(`/flights/${await flightOf(2)}`)
  await page.getByRole('application', { name: 'Track of 2 photos' }).waitFor()
  const metres = 0.0006 * METRES_PER_DEGREE * shrinking(latitude)
  view = await measureMap(latitude, metres)
  await button('Photos on the ground').click()
  await says('2 pictures')
  await expect.poll(() => coloursAt([0, 0], [metres / 2, 0], [metres, 0])).toEqual(['red', 'alpha 0', 'cyan'])
})
