/**
 * Combines loads of single values that start in the same task into requests for up to `size` ids. A value that the
 * response does not contain is null.
 */
export function createBatchLoader<T>(
  loadMany: (ids: number[]) => Promise<T[]>,
  { size, idOf }: { size: number; idOf: (value: T) => number },
): (id: number) => Promise<T | null> {
  let waiting = new Set<number>()
  let results: Promise<Map<number, T>> | null = null

  async function loadWaiting(): Promise<Map<number, T>> {
    await new Promise((resolve) => setTimeout(resolve))
    const ids = [...waiting]
    waiting = new Set()
    results = null
    const groups: number[][] = []
    for (let start = 0; start < ids.length; start += size) groups.push(ids.slice(start, start + size))
    const values = (await Promise.all(groups.map(loadMany))).flat()
    return new Map(values.map((value) => [idOf(value), value]))
  }

  return async (id) => {
    waiting.add(id)
    results ??= loadWaiting()
    return (await results).get(id) ?? null
  }
}
