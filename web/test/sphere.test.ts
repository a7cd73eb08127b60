import fc from 'fast-check'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test, vi } from 'vitest'
import {
  initialView,
  openUntilClosed,
  type Panorama,
  placeOnSphere,
  spherePictures,
  viewAfterKey,
  zoomed,
} from '../src/photos/viewer/sphere/sphere.ts'
import { SphereSwitch } from '../src/photos/viewer/sphere/sphere-picture.tsx'

const WHOLE: Panorama = { ProjectionType: 'equirectangular' }
/** A quarter of the horizon, the upper half of it. */
const PART: Panorama = {
  ...WHOLE,
  FullPanoWidthPixels: 8000,
  FullPanoHeightPixels: 4000,
  CroppedAreaImageWidthPixels: 2000,
  CroppedAreaImageHeightPixels: 2000,
  CroppedAreaLeftPixels: 5000,
  CroppedAreaTopPixels: 0,
}
const degrees = (radians: number) => (radians * 180) / Math.PI

describe('the place of a picture on the sphere', () => {
  test('is all of it without a part, whatever the size of the picture', () => {
    expect(placeOnSphere(WHOLE, { width: 2048, height: 1024 })).toEqual({
      ...{ fullWidth: 2048, fullHeight: 1024, croppedWidth: 2048, croppedHeight: 1024, croppedX: 0, croppedY: 0 },
      ...{ posePitch: 0, poseRoll: 0 },
    })
  })

  test('is its part, scaled from the stitched picture to a rendition', () => {
    const tilted = { ...PART, PosePitchDegrees: -3, PoseRollDegrees: 1.5 }
    expect(placeOnSphere(tilted, { width: 500, height: 500 })).toEqual({
      ...{ fullWidth: 2000, fullHeight: 1000, croppedWidth: 500, croppedHeight: 500, croppedX: 1250, croppedY: 0 },
      ...{ posePitch: -3, poseRoll: 1.5 },
    })
  })

  test('is always within the sphere', () => {
    const pixels = fc.integer({ min: 1, max: 20_000 })
    const parts = fc
      .record({ full: pixels, width: pixels, height: pixels, left: pixels, top: pixels, shown: pixels })
      .filter(({ full, width, height, left, top }) => left + width <= 2 * full && top + height <= full)
    fc.assert(
      fc.property(parts, ({ full, width, height, left, top, shown }) => {
        const panorama = {
          ...{ ...WHOLE, FullPanoWidthPixels: 2 * full, FullPanoHeightPixels: full },
          ...{ CroppedAreaImageWidthPixels: width, CroppedAreaImageHeightPixels: height },
          ...{ CroppedAreaLeftPixels: left, CroppedAreaTopPixels: top },
        }
        const picture = { width: shown, height: Math.max(1, Math.round((shown * height) / width)) }
        const place = placeOnSphere(panorama, picture)
        expect(place.croppedX).toBeGreaterThanOrEqual(0)
        expect(place.croppedY).toBeGreaterThanOrEqual(0)
        expect(place.croppedX + place.croppedWidth).toBeLessThanOrEqual(place.fullWidth)
        expect(place.croppedY + place.croppedHeight).toBeLessThanOrEqual(place.fullHeight)
      }),
    )
  })
})

describe('the view to begin with', () => {
  test('is the middle of the picture, which of a part is not that of the sphere', () => {
    expect(initialView(WHOLE, 1)).toMatchObject({ yaw: 0, pitch: 0 })
    const { yaw, pitch } = initialView(PART, 1)
    expect([degrees(yaw), degrees(pitch)]).toEqual([90, 45])
  })

  test("is that of the file: a heading of the compass, from the pose's", () => {
    const panorama = { ...WHOLE, PoseHeadingDegrees: 80, InitialViewHeadingDegrees: 20, InitialViewPitchDegrees: -30 }
    const { yaw, pitch } = initialView(panorama, 1)
    expect(degrees(yaw)).toBeCloseTo(300)
    expect(degrees(pitch)).toBeCloseTo(-30)
  })

  test('has the field of view of the file, within what can be shown', () => {
    const zoom = (InitialHorizontalFOVDegrees: number, ratio = 1) =>
      initialView({ ...WHOLE, InitialHorizontalFOVDegrees }, ratio).zoom
    expect(zoom(100)).toBeCloseTo(0)
    expect(zoom(10)).toBeCloseTo(100)
    // The same width in a wide box is less high, so closer.
    expect(zoom(80, 2)).toBeGreaterThan(zoom(80))
    for (const field of [1, 179]) expect(zoom(field)).toBeGreaterThanOrEqual(0)
    for (const field of [0, -1, 180, 360]) expect(zoom(field)).toBe(initialView(WHOLE, 1).zoom)
  })
})

test('a part of a sphere that is lower or narrower than a usual view fills it', () => {
  const closer = (part: Partial<Panorama>, ratio = 1) => initialView({ ...PART, ...part }, ratio).zoom
  expect(closer({})).toBe(initialView(WHOLE, 1).zoom)
  expect(closer({ CroppedAreaImageHeightPixels: 500 })).toBeGreaterThan(closer({ CroppedAreaImageHeightPixels: 1000 }))
  expect(closer({ CroppedAreaImageWidthPixels: 500 })).toBeGreaterThan(closer({ CroppedAreaImageWidthPixels: 1000 }))
})

describe('keys', () => {
  const view = { yaw: 0, pitch: 0, zoom: 50 }
  const initial = { yaw: 1, pitch: 0.5, zoom: 30 }
  const press = (key: string, from = view) => viewAfterKey(key, from, initial)

  test('arrows turn the view, round the horizon but not over the poles', () => {
    expect(press('ArrowRight')?.yaw).toBeGreaterThan(0)
    expect(press('ArrowLeft')?.yaw).toBeGreaterThan(Math.PI)
    expect(press('ArrowUp')?.pitch).toBeGreaterThan(0)
    expect(press('ArrowUp', { ...view, pitch: Math.PI / 2 })?.pitch).toBe(Math.PI / 2)
    expect(press('ArrowDown', { ...view, pitch: -Math.PI / 2 })?.pitch).toBe(-Math.PI / 2)
    const step = press('ArrowRight')?.yaw ?? 0
    expect(press('ArrowRight', { ...view, zoom: 90 })?.yaw).toBeLessThan(step)
  })

  test('plus and minus zoom within bounds, 0 returns, others are not taken', () => {
    expect(press('+')?.zoom).toBeGreaterThan(50)
    expect(press('-')?.zoom).toBeLessThan(50)
    expect([zoomed({ ...view, zoom: 95 }, 1).zoom, zoomed({ ...view, zoom: 5 }, -1).zoom]).toEqual([100, 0])
    expect(press('0')).toEqual(initial)
    for (const key of ['f', 's', ' ', 'Escape', 'Tab']) expect(press(key)).toBeNull()
  })
})

test('the preview is shown first, then the original where browsers can show it', () => {
  const photo = { previewUrl: '/p.webp', url: '/o.jpg', filename: 'o.jpg', width: 8000, height: 4000 }
  expect(spherePictures(photo, false)).toEqual(['/p.webp', '/o.jpg'])
  expect(spherePictures(photo, true)).toEqual(['/p.webp'])
  expect(spherePictures({ ...photo, filename: 'o.tif' }, false)).toEqual(['/p.webp'])
  expect(spherePictures({ ...photo, width: 20_000, height: 10_000 }, false)).toEqual(['/p.webp'])
  expect(spherePictures({ ...photo, previewUrl: null }, false)).toEqual([])
})

describe('opening', () => {
  function opening() {
    const { promise, resolve, reject } = Promise.withResolvers<{ destroy(): void }>()
    const [onOpen, onFailure, destroy] = [vi.fn(), vi.fn(), vi.fn()]
    const close = openUntilClosed(() => promise, onOpen, onFailure)
    const settled = () => promise.then(() => {}).catch(() => {})
    return {
      onOpen,
      onFailure,
      destroy,
      close,
      settled,
      open: () => resolve({ destroy }),
      fail: () => reject(new Error()),
    }
  }

  test('a sphere that is opened is destroyed when it is closed', async () => {
    const { onOpen, destroy, close, open, settled } = opening()
    open()
    await settled()
    expect([onOpen.mock.calls.length, destroy.mock.calls.length]).toEqual([1, 0])
    close()
    expect(destroy).toHaveBeenCalledOnce()
  })

  test('one that is closed before is destroyed as soon as it is there, and never shown', async () => {
    const { onOpen, destroy, close, open, settled } = opening()
    close()
    open()
    await settled()
    expect([onOpen.mock.calls.length, destroy.mock.calls.length]).toEqual([0, 1])
  })

  test('a failure is reported, unless it was closed before', async () => {
    const first = opening()
    first.fail()
    await first.settled()
    expect(first.onFailure).toHaveBeenCalledOnce()
    const second = opening()
    second.close()
    second.fail()
    await second.settled()
    expect(second.onFailure).not.toHaveBeenCalled()
  })
})

test.each([
  [{ around: true, problem: null }, ['Flat picture'], ['role="status"']],
  [{ around: false, problem: null }, ['Look around'], ['role="status"']],
  [{ around: false, problem: 'failed' as const }, ['role="status"', 'could not be shown', 'Retry'], []],
  [{ around: false, problem: 'unsupported' as const }, ['role="status"', 'no WebGL'], ['<button']],
])('the switch says what there is and what can be done: %j', (state, shown, absent) => {
  const html = renderToStaticMarkup(createElement(SphereSwitch, { ...state, idle: false, onAround: () => {} }))
  for (const text of shown) expect(html).toContain(text)
  for (const text of absent) expect(html).not.toContain(text)
})
