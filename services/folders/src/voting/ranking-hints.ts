export interface RankingHints {
  /** Says that a folder's standings changed. */
  changed(folderId: number, ownerId: number): void
  /** Sends what is still owed, and no more after that. */
  stop(): void
}

const INTERVAL_MS = 250

/** Passes changes on at most four times a second for a folder; the last change is always followed by a hint. */
export function createRankingHints(publish: (folderId: number, ownerId: number) => void): RankingHints {
  // The folders with a hint in the last interval, and whether they have changed since.
  const recent = new Map<number, { timer: NodeJS.Timeout; owed: boolean; ownerId: number }>()

  function send(folderId: number, ownerId: number): void {
    publish(folderId, ownerId)
    const timer = setTimeout(() => pass(folderId), INTERVAL_MS)
    recent.set(folderId, { timer, owed: false, ownerId })
  }

  function pass(folderId: number): void {
    const entry = recent.get(folderId)
    recent.delete(folderId)
    if (entry?.owed) send(folderId, entry.ownerId)
  }

  return {
    changed(folderId, ownerId) {
      const entry = recent.get(folderId)
      if (entry) entry.owed = true
      else send(folderId, ownerId)
    },
    stop() {
      for (const [folderId, entry] of recent) {
        clearTimeout(entry.timer)
        if (entry.owed) publish(folderId, entry.ownerId)
      }
      recent.clear()
    },
  }
}
