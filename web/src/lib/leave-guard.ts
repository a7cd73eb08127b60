/** Asks the user whether unfinished work may be given up; resolves with the answer. */
type Guard = () => Promise<boolean>

let guard: Guard | null = null

/** Whoever has unfinished work registers here. Answers how to stop. */
export function setLeaveGuard(next: Guard): () => void {
  guard = next
  return () => {
    if (guard === next) guard = null
  }
}

/** True when the user may sign out: there is no unfinished work, or it may be given up. */
export async function mayLeave(): Promise<boolean> {
  return guard === null || guard()
}
