export interface Hints {
  /** Records a change of what has this id, a folder's standings for example. */
  changed(id: number, ownerId: number): void
  /** Publishes the pending hints, and none after that. */
  stop(): void
}

const INTERVAL_MS = 250

/** Publishes changes at most four times a second for each id; the last change is always followed by a hint. */
export function createHints(publish: (id: number, ownerId: number) => void): Hints {
  /** The ids with a hint in the last interval, and whether they have changed since. */
  const recent = new Map<number, { timer: NodeJS.Timeout; isPending: boolean; ownerId: number }>()

  function send(id: number, ownerId: number): void {
    publish(id, ownerId)
    const timer = setTimeout(() => endInterval(id), INTERVAL_MS)
    recent.set(id, { timer, isPending: false, ownerId })
  }

  function endInterval(id: number): void {
    const entry = recent.get(id)
    recent.delete(id)
    if (entry?.isPending) send(id, entry.ownerId)
  }

  return {
    changed(id, ownerId) {
      const entry = recent.get(id)
      if (entry) entry.isPending = true
      else send(id, ownerId)
    },
    stop() {
      for (const [id, entry] of recent) {
        clearTimeout(entry.timer)
        if (entry.isPending) publish(id, entry.ownerId)
      }
      recent.clear()
    },
  }
}
