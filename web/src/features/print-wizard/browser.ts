import type { Dimensions } from './crop.ts'

const IMAGE_TIMEOUT_MS = 25_000

/** Loads an image as the browser does; rejects when it cannot be displayed. */
export async function measureImage(source: string | Blob): Promise<Dimensions> {
  const url = typeof source === 'string' ? source : URL.createObjectURL(source)
  try {
    return await loadImage(url)
  } finally {
    if (typeof source !== 'string') URL.revokeObjectURL(url)
  }
}

function loadImage(url: string): Promise<Dimensions> {
  return new Promise((resolve, reject) => {
    const image = new Image()
    const timer = setTimeout(() => reject(new Error('The image took too long')), IMAGE_TIMEOUT_MS)
    image.onload = () => {
      clearTimeout(timer)
      resolve({ width: image.naturalWidth, height: image.naturalHeight })
    }
    image.onerror = () => {
      clearTimeout(timer)
      reject(new Error('The image could not be loaded'))
    }
    image.src = url
  })
}

/** Waits; rejects at once when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const timer = setTimeout(resolve, ms)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        reject(signal.reason)
      },
      { once: true },
    )
  })
}

const LOCATION_OPTIONS = { enableHighAccuracy: true, timeout: 10_000, maximumAge: 300_000 }

const LOCATION_ERRORS: Record<number, string> = {
  1: 'Location access denied. Please allow location access in your browser settings, or enter your ZIP code below.',
  2: 'Location unavailable. Please check that location services are turned on and try again. Or enter your ZIP code below.',
  3: 'Location request timed out. Please enter your ZIP code, city, or state below.',
}

const UNAVAILABLE = 2
const TIMED_OUT = 3

/** The browser does not tell where it is; the message is for the user. */
export class LocationError extends Error {}

/** Where the browser is, in degrees. @throws LocationError */
export function currentPosition(): Promise<{ latitude: string; longitude: string }> {
  return new Promise((resolve, reject) => {
    const fail = (code: number) => {
      clearTimeout(timer)
      reject(new LocationError(LOCATION_ERRORS[code] ?? LOCATION_ERRORS[UNAVAILABLE]))
    }
    // The browser's own time limit does not run while it asks the user.
    const timer = setTimeout(() => fail(TIMED_OUT), LOCATION_OPTIONS.timeout)
    if (!('geolocation' in navigator)) return fail(UNAVAILABLE)
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        clearTimeout(timer)
        resolve({ latitude: coords.latitude.toFixed(6), longitude: coords.longitude.toFixed(6) })
      },
      ({ code }) => fail(code),
      LOCATION_OPTIONS,
    )
  })
}
