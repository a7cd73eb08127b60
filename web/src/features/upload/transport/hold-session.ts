/** Runs the work while this tab, and no other one of this browser, has the upload session. */
export async function holdSession(id: string, work: (hasWaited: boolean) => Promise<void>): Promise<void> {
  const { locks } = navigator
  // Only pages of https have them. Without them both tabs send the parts, which does no harm.
  if (!locks) return work(false)
  const name = `upload session ${id}`
  const isDone = await locks.request(name, { ifAvailable: true }, async (lock) => {
    if (lock) await work(false)
    return lock !== null
  })
  if (!isDone) await locks.request(name, () => work(true))
}
