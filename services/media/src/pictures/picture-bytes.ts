import { type ObjectStore, within } from '@skyfolio/kit'
import { renditionKey } from '../files/object-keys.ts'

/** In so long the store sends a whole rendition. */
const WHOLE_WITHIN_MS = 5_000

/**
 * Opens a rendition. Its stream fails when the store has not sent all of it within five seconds. Null when the store has
 * no such object.
 * @throws AppError 503 when the store does not begin within five seconds
 */
export async function openRendition(store: Pick<ObjectStore, 'get'>, name: string, withinMs = WHOLE_WITHIN_MS) {
  const until = performance.now() + withinMs
  const opening = store.get(renditionKey(name))
  const object = await within(withinMs, opening).catch((error) => {
    opening.then(
      (late) => late?.body.destroy(),
      () => {},
    )
    throw error
  })
  if (!object) return null
  const { body } = object
  const tooLate = () => body.destroy(new Error(`the object store did not send the rendition in ${withinMs} ms`))
  const timer = setTimeout(tooLate, until - performance.now())
  body.once('close', () => clearTimeout(timer))
  return object
}
