import { createLimiter } from '@skyfolio/kit'

/** Bounds the memory and processors that rendering takes in a worker. Each function waits until it may run `work`. */
export interface RenderLimiter {
  /** A photo that needs little memory. */
  photo<T>(userId: number, work: () => Promise<T>): Promise<T>
  /** A print image that needs little memory. */
  print<T>(work: () => Promise<T>): Promise<T>
  /** An image that needs much memory: nothing else is rendered meanwhile. */
  alone<T>(userId: number, work: () => Promise<T>): Promise<T>
}

/**
 * Photos and print images have a share each, so that neither waits for all of the others: `concurrency` photos, and as
 * many print images as the worker has jobs for. Of one user no more wait for a share than may run at the same time. So
 * the next image of another user waits for those that run, however many slow ones of the first user come after them.
 */
export function createRenderLimiter(concurrency: number, prints = 0): RenderLimiter {
  const total = concurrency + prints
  const all = createLimiter({ total })
  const photos = createLimiter({ total: concurrency })
  const photosOfUser = createLimiter({ perKey: concurrency })
  const printImages = createLimiter({ total: Math.max(1, prints) })
  const aloneOfUser = createLimiter({ perKey: 1 })
  return {
    // Who waits for its share holds nothing of the whole, so that the limits cannot block each other.
    photo: (key, work) => photosOfUser.run({ key }, () => photos.run({}, () => all.run({}, work))),
    print: (work) => printImages.run({}, () => all.run({}, work)),
    alone: (key, work) => aloneOfUser.run({ key }, () => all.run({ weight: total }, work)),
  }
}
