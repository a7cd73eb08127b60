/** Does `work` while it holds that many of the places. */
export type Gate = <T>(places: number, work: () => Promise<T>) => Promise<T>

/** A gate with so many places: who needs all of them is alone. First come, first served, so that nobody waits for ever. */
export function createGate(places: number): Gate {
  let free = places
  const waiting: { needs: number; enter(): void }[] = []

  function letIn(): void {
    for (let next = waiting[0]; next && next.needs <= free; next = waiting[0]) {
      waiting.shift()
      free -= next.needs
      next.enter()
    }
  }

  return async (needs, work) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.push({ needs, enter: resolve })
    letIn()
    await promise
    try {
      return await work()
    } finally {
      free += needs
      letIn()
    }
  }
}
