import { unavailable } from '../http/errors.ts'

/** What the work results in. It goes on after the limit, since others may wait for it. @throws AppError 503 after `ms` */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const limit = Promise.withResolvers<never>()
  const timer = setTimeout(() => limit.reject(unavailable(undefined, 1)), ms)
  try {
    return await Promise.race([work, limit.promise])
  } finally {
    clearTimeout(timer)
  }
}
