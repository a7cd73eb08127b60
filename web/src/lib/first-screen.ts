import { createStore } from './store.ts'

/**
 * True once the first screen is complete, or the user has begun to use it. Code that it does not need is loaded then, so that
 * it delays no picture.
 */
export const isFirstScreenComplete = createStore(false)

const CHECK_MS = 100
/** Between two responses nothing is read for a moment. */
const QUIET_CHECKS = 3
const LONGEST_MS = 10_000
const USES = ['pointerdown', 'keydown', 'click', 'dragenter'] as const

let stop = () => {}

/** Ends the wait: the screen needs the rest of the code itself. */
export function completeFirstScreen(): void {
  stop()
  if (!isFirstScreenComplete.get()) isFirstScreenComplete.set(true)
}

/** Waits until nothing has been read for a moment and all pictures in the window are there; no longer than ten seconds. */
export function watchFirstScreen(isReading: () => boolean): void {
  let quiet = 0
  const startedAt = performance.now()
  const timer = setInterval(() => {
    const isComplete = !isReading() && isScreenShown() && areImagesLoaded()
    quiet = isComplete ? quiet + 1 : 0
    if (quiet === QUIET_CHECKS || performance.now() - startedAt > LONGEST_MS) completeFirstScreen()
  }, CHECK_MS)
  for (const use of USES) addEventListener(use, completeFirstScreen, { capture: true })
  stop = () => {
    clearInterval(timer)
    for (const use of USES) removeEventListener(use, completeFirstScreen, { capture: true })
  }
}

/** Calls the listener once the first screen is complete; returns a function that takes it back. */
export function whenFirstScreenIsComplete(listener: () => void): () => void {
  if (isFirstScreenComplete.get()) {
    listener()
    return () => {}
  }
  return isFirstScreenComplete.subscribe(listener)
}

/** Every screen has a heading. What was read is rendered a while later on a slow device: until then a skeleton is shown. */
function isScreenShown(): boolean {
  return document.querySelector('h1') !== null && !document.querySelector('[data-loads], [data-prerendered]')
}

function areImagesLoaded(): boolean {
  return [...document.images].every((image) => image.complete || !isInWindow(image.getBoundingClientRect()))
}

function isInWindow({ width, left, right, top, bottom }: DOMRect): boolean {
  return width > 0 && right > 0 && left < innerWidth && bottom > 0 && top < innerHeight
}
