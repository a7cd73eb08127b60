/** Something with a key, in a list that ascends by its keys. */
interface Keyed {
  key: string
}

/**
 * Walks through two ascending lists at once, holding one entry of each: pairs with one key, and what only one of them
 * has beside null.
 */
export async function* sideBySide<L extends Keyed, R extends Keyed>(
  left: AsyncIterable<L>,
  right: AsyncIterable<R>,
): AsyncGenerator<[L, R] | [L, null] | [null, R]> {
  const lefts = left[Symbol.asyncIterator]()
  const rights = right[Symbol.asyncIterator]()
  const next = async <T>(entries: AsyncIterator<T>): Promise<T | null> => {
    const { done, value } = await entries.next()
    return done ? null : value
  }
  let one = await next(lefts)
  let other = await next(rights)
  while (one || other) {
    if (one && other && one.key === other.key) {
      yield [one, other]
      one = await next(lefts)
      other = await next(rights)
    } else if (one && (!other || one.key < other.key)) {
      yield [one, null]
      one = await next(lefts)
    } else if (other) {
      yield [null, other]
      other = await next(rights)
    }
  }
}
