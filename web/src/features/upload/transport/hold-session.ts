/**
 * Runs the work while this tab, and no other one of this browser, has the upload session. Where there are no locks (pages without https,
 * blocked storage) both tabs send the parts, which does no harm.
 */
export async function holdSession(id: string, work: (hasWaited: boolean) => Promise<void>): Promise<void> {
  const name = `upload session ${id}`
  let hasBegun = false
  const begin = (hasWaited: boolean) => {
    hasBegun = true
    return work(hasWaited)
  }
  try {
    await navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock) await begin(false)
    })
    if (!hasBegun) await navigator.locks.request(name, () => begin(true))
  } catch (error) {
    if (hasBegun) throw error
    await work(false)
  }
}
