/** Asks the user whether to discard unfinished work. */
type Guard = () => Promise<boolean>

const guards = new Set<Guard>()

/** Registers a guard for unfinished work. Returns a function that removes it. */
export function setLeaveGuard(guard: Guard): () => void {
  guards.add(guard)
  return () => {
    guards.delete(guard)
  }
}

/** True when the user may sign out: there is no unfinished work, or the user discards all of it. */
export async function mayLeave(): Promise<boolean> {
  for (const guard of guards) if (!(await guard())) return false
  return true
}
