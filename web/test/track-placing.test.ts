import { QueryClient } from '@tanstack/react-query'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { setPositions } from '../src/api/photo-changes.ts'
import type { PhotoPosition } from '../src/api/types.ts'
import { type Fix, parseGpx, readTracks } from '../src/photos/placing/gpx.ts'
import {
  formatCorrection,
  formatZone,
  guessZone,
  parseCorrection,
  placeByTime,
} from '../src/photos/placing/place-by-time.ts'

const point = (lat: number | string, lon: number | string, time?: string) =>
  `<trkpt lat="${lat}" lon="${lon}"><ele>120</ele>${time ? `<time>${time}</time>` : ''}</trkpt>`
const segment = (...points: string[]) => `<trkseg>${points.join('\n')}</trkseg>`
const gpx = (...content: string[]) =>
  `<?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">${content.join('')}</gpx>`
const track = (...points: string[]) => gpx('<trk><name>A &amp; B</name>', segment(...points), '</trk>')
const read = (text: string) => [...parseGpx(text, 'walk.gpx')].filter((fix) => fix !== null)
const TEN = Date.UTC(2026, 5, 1, 10)

describe('a GPX file', () => {
  test('has the points of all its tracks and segments, with their times in UTC', () => {
    const text = gpx(
      '<metadata><time>2020-01-01T00:00:00Z</time></metadata>',
      '<trk>',
      segment(point(60.1, 24.9, '2026-06-01T10:00:00Z'), point('-60', ' +24.5 ', '2026-06-01T13:00:01.5+03:00')),
      segment(point(60.3, 24.7, '2026-06-01T10:00:02')),
      '</trk><trk>',
      segment(point(60.4, 24.6, ' 2026-06-01T05:30:03-0430 ')),
      '</trk>',
    )
    expect(read(text)).toEqual([
      { latitude: 60.1, longitude: 24.9, at: TEN, segment: 1 },
      { latitude: -60, longitude: 24.5, at: TEN + 1500, segment: 1 },
      { latitude: 60.3, longitude: 24.7, at: TEN + 2000, segment: 2 },
      { latitude: 60.4, longitude: 24.6, at: TEN + 3000, segment: 3 },
    ])
  })

  test('is read with prefixes, single quotes, comments, extensions and a type of the document', () => {
    const text = `\uFEFF<!DOCTYPE gpx><!-- <gpx> --><g:gpx xmlns:g='x' creator="a>b"><g:trk><g:trkseg>
      <g:trkpt lon='24.9'\n lat='60.1'><g:extensions><g:time>2001-01-01T00:00:00Z</g:time><g:hr/></g:extensions>
      <![CDATA[</gpx>]]><g:time>2026-06-01T10:00:00Z</g:time></g:trkpt></g:trkseg></g:trk></g:gpx>`
    expect(read(text)).toEqual([{ latitude: 60.1, longitude: 24.9, at: TEN, segment: 1 }])
  })

  test('is read without the points that have no time or no valid position', () => {
    const time = '2026-06-01T10:00:00Z'
    const bad = [point(91, 0, time), point(0, 181, time), point('', 1, time), point('60,1', 1, time), point(0, 0, time)]
    expect(read(track(...bad, point(1, 1), point(1, 1, 'noon'), point(1, 2, time), '<trkpt/>'))).toMatchObject([
      { latitude: 1, longitude: 2 },
    ])
  })

  test.each([
    ['', 'walk.gpx is not a GPX file.'],
    ['\x89PNG\r\n<\x00', 'walk.gpx is not a GPX file.'],
    ['<kml><Placemark/></kml>', 'walk.gpx is not a GPX file.'],
    [track(point(1, 1, '2026-06-01T10:00:00Z')).slice(0, -20), 'walk.gpx is damaged: it cannot be read to its end.'],
    [`${gpx()}<gpx/>`, 'walk.gpx is not a GPX file.'],
    [gpx('<trk></gpx>'), 'walk.gpx is damaged: it cannot be read to its end.'],
    [gpx('<!-- '), 'walk.gpx is damaged: it cannot be read to its end.'],
    [gpx(`<trk ${'x'.repeat(100_000)}></trk>`), 'walk.gpx is damaged: it cannot be read to its end.'],
    [gpx('<x>'.repeat(200), '</x>'.repeat(200)), 'walk.gpx is damaged: it cannot be read to its end.'],
    [gpx('<trk/>'), 'walk.gpx has no track.'],
    [track(point(1, 1)), 'The points of walk.gpx have no times: only a track that was recorded can place photos.'],
    [
      gpx('<rte><rtept lat="1" lon="1"/></rte>'),
      'walk.gpx has a route or waypoints, but no track: only a track that was recorded can place photos.',
    ],
  ])('that has no track says so: %j', (text, message) => {
    expect(() => read(text)).toThrow(message)
  })

  test('may be one of several, whose points are in the order of time', async () => {
    const file = (...points: string[]) => new File([track(...points)], 'part.gpx')
    const later = file(point(3, 3, '2026-06-01T12:00:00Z'), point(2, 2, '2026-06-01T11:00:00Z'))
    const fixes = await readTracks([later, file(point(1, 1, '2026-06-01T10:00:00Z'))])
    expect(fixes.map(({ latitude }) => latitude)).toEqual([1, 2, 3])
    expect(fixes[1]?.segment).toBe(fixes[2]?.segment)
    expect(fixes[0]?.segment).not.toBe(fixes[1]?.segment)
  })

  test('may be recorded by several receivers at once, of which one is followed until it stops', async () => {
    const time = (seconds: number) => new Date(TEN + seconds * 1000).toISOString()
    const recorded = (lat: number, name: string, ...seconds: number[]) =>
      new File([track(...seconds.map((second) => point(lat, 10, time(second))))], name)
    const mast = recorded(70, 'mast.gpx', 0, 100, 200, 5000)
    const fixes = await readTracks([recorded(50, 'walk.gpx', 100, 150, 250, 350), mast])
    expect(fixes.map(({ latitude, at }) => [latitude, (at - TEN) / 1000])).toEqual([
      ...[0, 100, 200].map((second) => [70, second]),
      ...[250, 350].map((second) => [50, second]),
      [70, 5000],
    ])
    expect(placeByTime([{ dateTaken: time(120) }], fixes, UTC)).toMatchObject([{ to: { latitude: 70 } }])
  })

  // With each character of the name given back, it takes a hundred times as long.
  test('is read once, whatever its tags are', { timeout: 5000 }, () => {
    const [name, value] = ['a'.repeat(100), 'x'.repeat(31 * 1024 * 1024)]
    expect(() => read(`<gpx><${name} x="${value}"<`)).toThrow('walk.gpx is damaged: it cannot be read to its end.')
  })

  test.each(['<!---->', '<trkpt/>'])('gives time to paint while it is read: %j', (content) => {
    const text = gpx(content.repeat(256 * 1024), segment(point(1, 1, '2026-06-01T10:00:00Z')))
    expect([...parseGpx(text, 'walk.gpx')].filter((fix) => fix === null).length).toBeGreaterThan(5)
  })

  test('may not be larger than what a browser reads in a moment', async () => {
    const large = { name: 'large.gpx', size: 33 * 1024 * 1024 } as File
    await expect(readTracks([large])).rejects.toThrow('large.gpx is 33.00 MB: larger than 32MB.')
    const long = new File([track(point(1, 1, '2026-06-01T10:00:00Z').repeat(200_001))], 'long.gpx')
    await expect(readTracks([long])).rejects.toThrow('A track may have up to 200,000 points. Please split it.')
  })
})

/** A fix some seconds after ten o'clock UTC. */
const fix = (seconds: number, latitude: number, longitude = 10, segment = 1): Fix => ({
  ...{ latitude, longitude, segment },
  at: TEN + seconds * 1000,
})
const UTC = { zone: 0, correction: 0 }
const place = (dateTaken: string | null, fixes: Fix[], clock = UTC) => {
  const [{ photo, ...placing } = { photo: null }] = placeByTime([{ dateTaken }], fixes, clock)
  return placing
}

describe('a photo is placed', () => {
  const fixes = [fix(0, 50), fix(100, 51), fix(2000, 60), fix(2100, 61), fix(2400, 70, 10, 2), fix(2500, 71, 10, 2)]

  test.each([
    ['at a fix', '2026-06-01T10:01:40Z', 51],
    ['between two fixes', '2026-06-01T10:00:25Z', 50.25],
    ['by a date with another zone', '2026-06-01T15:30:50+05:30', 50.5],
    ['at the first fix within a minute before it', '2026-06-01T09:59:00Z', 50],
    ['at the last fix within a minute after it', '2026-06-01T10:42:40Z', 71],
    ['at the nearest fix within a minute of a gap', '2026-06-01T10:32:20Z', 60],
    ['at the nearest end within a minute of an interruption', '2026-06-01T10:35:59Z', 61],
  ])('%s', (_, dateTaken, latitude) => {
    expect(place(dateTaken, fixes)).toEqual({ to: { latitude, longitude: 10 } })
  })

  test.each([
    [null, 'no date taken'],
    ['2026-06-01', 'no date taken'],
    ['2026-06-01T07:58:59Z', '2 h 1 min before the track'],
    ['2026-06-01T10:43:00Z', '1 min after the track'],
    ['2026-06-11T10:43:00Z', '10 days after the track'],
    ['2026-06-01T10:10:00Z', 'in a gap of 32 min in the track'],
    ['2026-06-01T10:37:30Z', 'in a gap of 5 min in the track'],
  ])('nowhere with the date %j: %s', (dateTaken, reason) => {
    expect(place(dateTaken, fixes)).toEqual({ to: null, reason })
  })

  test('across the date line on the shorter way', () => {
    const across = [fix(0, 0, 179.9), fix(100, 0, -179.9)]
    const longitudes = ['2026-06-01T10:00:25Z', '2026-06-01T10:01:15Z'].map((date) => place(date, across))
    expect(longitudes).toMatchObject([
      { to: { longitude: expect.closeTo(179.95) } },
      { to: { longitude: expect.closeTo(-179.95) } },
    ])
  })

  test('by the clock that the user sets, whose zone matters only without one in the date', () => {
    const clock = { zone: 180, correction: -30 }
    expect(place('2026-06-01T13:01:20', fixes, clock)).toEqual({ to: { latitude: 50.5, longitude: 10 } })
    expect(place('2026-06-01T10:01:20Z', fixes, clock)).toEqual({ to: { latitude: 50.5, longitude: 10 } })
  })
})

describe('the zone of photos that do not say theirs', () => {
  const fixes = [fix(0, 60, 25), fix(300, 60, 25.1), fix(600, 60, 25.2)]
  const photos = (...dates: string[]) => dates.map((dateTaken) => ({ dateTaken }))

  test('is the one with which the most are on the track', () => {
    const dates = photos('2026-06-01T13:01:00', '2026-06-01T13:09:00', '2026-06-01T07:05:00', '2026-06-01T10:05:00Z')
    expect(guessZone(dates, fixes, -300)).toBe(180)
    expect(guessZone(photos('2026-06-01T15:46:00'), fixes, 0)).toBe(345)
  })

  test("is this device's where it is one of the best, then the one next to the solar time", () => {
    const day = Array.from({ length: 200 }, (_, index) => fix(index * 300 - 30_000, 60, 25))
    expect(guessZone(photos('2026-06-01T12:00:00'), day, -240)).toBe(-240)
    expect(guessZone(photos('2026-06-01T12:00:00'), day, -700)).toBe(90)
    expect(guessZone(photos('2020-06-01T12:00:00'), day, -240)).toBe(-240)
  })

  test.each([
    [0, 'UTC'],
    [345, 'UTC+05:45'],
    [-210, 'UTC−03:30'],
  ])('of %i minutes is %s', (minutes, text) => {
    expect(formatZone(minutes)).toBe(text)
  })
})

test.each([
  ['0:00:00', 0],
  ['+0:01:30', 90],
  ['−12:00:05', -43_205],
  ['+8760:00:00', 31_536_000],
])('the correction %s of a clock is %i seconds', (text, seconds) => {
  expect(parseCorrection(text)).toBe(seconds)
  expect(formatCorrection(seconds)).toBe(text)
})

test('a correction is taken as it is typed, and nothing else is', () => {
  expect(['-0:00:01', ' 1:00:00 ', '-0:00:00'].map(parseCorrection)).toEqual([-1, 3600, 0])
  expect(['', '90', '1:30', '0:60:00', '0:00:60', '1:2:3', '+-0:00:01'].map(parseCorrection)).toEqual(
    Array(7).fill(null),
  )
})

describe('positions are stored', () => {
  afterEach(() => vi.unstubAllGlobals())

  const positions = Array.from({ length: 250 }, (_, id) => ({
    id,
    position: { latitude: 1, longitude: 2 },
    from: null,
  }))

  /** A server on which every tenth photo is gone, and whose request with this number fails. */
  function stubServer(failing?: number) {
    const sent: PhotoPosition[][] = []
    vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
      const some: PhotoPosition[] = JSON.parse(body).positions
      sent.push(some)
      if (sent.length === failing) return Response.json({ code: 'unavailable', message: 'Busy.' }, { status: 503 })
      return Response.json({ before: some.filter(({ id }) => id % 10).map(({ id }) => ({ id, position: null })) })
    })
    return sent
  }

  test('in requests of a hundred photos, and Undo sends what each response had, the last one first', async () => {
    const sent = stubServer()
    const done: number[] = []
    const placed = await setPositions(new QueryClient(), positions, (now) => done.push(now))
    expect(placed).toMatchObject({ count: 225, left: null })
    expect(done).toEqual([100, 200, 250])
    await placed.undo()
    expect(sent.map(({ length }) => length)).toEqual([100, 100, 50, 45, 90, 90])
    expect(
      sent
        .slice(3)
        .flat()
        .every(({ position }) => position === null),
    ).toBe(true)
  })

  test('once more after a lost response, and Undo sends what the user has seen', async () => {
    const [here, there] = [
      { latitude: 60.123456749, longitude: 1 },
      { latitude: 5, longitude: 6 },
    ]
    const sent: PhotoPosition[][] = []
    vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
      sent.push(JSON.parse(body).positions)
      const stored = { latitude: 60.1234567, longitude: 1 }
      // Photo 3 is the raw file of photo 1, and photo 4 is gone.
      return Response.json({ before: [1, 2, 3].map((id) => ({ id, position: stored })) })
    })
    const placed = await setPositions(new QueryClient(), [
      { id: 1, position: here, from: there },
      { id: 2, position: here, from: null },
      { id: 4, position: there, from: here },
    ])
    await placed.undo()
    expect(sent[1]).toEqual([
      { id: 1, position: there },
      { id: 2, position: null },
      { id: 4, position: here },
    ])
  })

  test('up to an error, which says what is left', async () => {
    const sent = stubServer(2)
    const placed = await setPositions(new QueryClient(), positions)
    expect(placed).toMatchObject({ count: 90, left: { positions: positions.slice(100), error: { status: 503 } } })
    await placed.undo()
    expect(sent.map(({ length }) => length)).toEqual([100, 100, 90])
    stubServer(1)
    await expect(setPositions(new QueryClient(), positions)).rejects.toMatchObject({ status: 503 })
  })
})
