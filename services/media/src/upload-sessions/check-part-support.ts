import { isUnavailable, type Logger, type ObjectStore } from '@skyfolio/kit'

/** Of no photo, and never completed. */
const KEY = 'originals/trial'

/**
 * Begins and ends an upload in parts. Without parts nobody can upload, and a store that takes none, or rejects the key's
 * request for them, would say so to the first user and to nobody else.
 */
export async function checkPartSupport({ parts }: Pick<ObjectStore, 'parts'>, logger: Logger): Promise<void> {
  const { minPartBytes } = parts.limits
  try {
    const uploadId = await parts.begin(KEY, minPartBytes)
    const upload = { key: KEY, uploadId, size: minPartBytes, partBytes: minPartBytes }
    await parts.list(upload).finally(() => parts.abort(upload))
  } catch (err) {
    // An outage is in the checks of the process.
    if (!isUnavailable(err))
      logger.error({ err }, 'the object store rejects uploads in parts: nobody can upload photos')
  }
}
