export interface RankingHints {
  /** Records that a folder's standings changed. */
  changed(folderId: number, ownerId: number): void
  /** Publishes the pending hints, and none after that. */
  stop(): void
}

const INTERVAL_MS = 250

/** Publishes changes at most four times a second for a folder; the last change is always followed by a hint. */
export function createRankingHints(publish: (folderId: number, ownerId: number) => void): RankingHints {
  /** The folders with a hint in the last interval, and whether they have changed since. */
  const recent = new Map<number, { timer: NodeJS.Timeout; isPending: boolean; ownerId: number }>()

  function send(folderId: number, ownerId: number): void {
    publish(folderId, ownerId)
    const timer = setTimeout(() => endInterval(folderId), INTERVAL_MS)
    recent.set(folderId, { timer, isPending: false, ownerId })
  }

  function endInterval(folderId: number): void {
    const entry = recent.get(folderId)
    recent.delete(folderId)
    if (entry?.isPending) send(folderId, entry.ownerId)
  }

  return {
    changed(folderId, ownerId) {
      const entry = recent.get(folderId)
      if (entry) entry.isPending = true
      else send(folderId, ownerId)
    },
    stop() {
      for (const [folderId, entry] of recent) {
        clearTimeout(entry.timer)
        if (entry.isPending) publish(folderId, entry.ownerId)
      }
      recent.clear()
    },
  }
}
