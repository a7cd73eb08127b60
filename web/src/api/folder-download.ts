import { ApiError, errorMessage, hasCode } from '../lib/http.ts'
import { api } from './client.ts'

/**
 * Has the server prepare an archive of all photos of a shared folder, which may take several requests when they are old. Returns its URL.
 * @param onPreparing gets what the server says when it needs more time
 */
export async function createFolderDownload(
  shareCode: string,
  size: 'original' | 'web',
  onPreparing: (message: string) => void,
  signal: AbortSignal,
): Promise<string> {
  for (;;) {
    try {
      const input = { path: { shareCode }, body: { size }, signal }
      return (await api('post', '/api/share/{shareCode}/download', input)).url
    } catch (error) {
      if (!(error instanceof ApiError) || !hasCode(error, 'preparing')) throw error
      onPreparing(errorMessage(error))
      await new Promise((resolve) => setTimeout(resolve, Math.max(1, error.retryAfter) * 1000))
    }
  }
}
