interface Keyed {
  key: string
}

/**
 * Joins two lists that ascend by key, holding one entry of each in memory. Yields pairs with equal keys, and entries of
 * one list alone with null for the other.
 */
export async function* mergeJoin<L extends Keyed, R extends Keyed>(
  left: AsyncIterable<L>,
  right: AsyncIterable<R>,
): AsyncGenerator<[L, R] | [L, null] | [null, R]> {
  const lefts = left[Symbol.asyncIterator]()
  const rights = right[Symbol.asyncIterator]()
  let l = await nextOrNull(lefts)
  let r = await nextOrNull(rights)
  while (l || r) {
    if (l && r && l.key === r.key) {
      yield [l, r]
      l = await nextOrNull(lefts)
      r = await nextOrNull(rights)
    } else if (l && (!r || l.key < r.key)) {
      yield [l, null]
      l = await nextOrNull(lefts)
    } else if (r) {
      yield [null, r]
      r = await nextOrNull(rights)
    }
  }
}

async function nextOrNull<T>(entries: AsyncIterator<T>): Promise<T | null> {
  const { done, value } = await entries.next()
  return done ? null : value
}
