import type { NewSession, Sessions } from './sessions.ts'

/**
 * Makes a change that commits the end of all sessions of a user but the given new one. It replaces the session of the
 * request, of which somebody else may have a copy. It was started before the commit, so that whatever ends sessions later
 * finds it, and ends when the change fails. A crash costs the browser its session.
 */
export async function replaceSession<T>(
  sessions: Pick<Sessions, 'end'>,
  { userId, session }: { userId: number; session: NewSession | null },
  change: () => Promise<T>,
): Promise<T> {
  try {
    return await change()
  } catch (error) {
    if (session) await sessions.end(userId, session.hash)
    throw error
  }
}
