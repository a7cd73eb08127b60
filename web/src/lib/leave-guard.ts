/** Asks the user whether to discard unfinished work. */
type Guard = () => Promise<boolean>

let guard: Guard | null = null

/** Registers a guard for unfinished work. Returns a function that removes it. */
export function setLeaveGuard(next: Guard): () => void {
  guard = next
  return () => {
    if (guard === next) guard = null
  }
}

/** True when the user may sign out: there is no unfinished work, or the user discards it. */
export async function mayLeave(): Promise<boolean> {
  return guard === null || guard()
}
