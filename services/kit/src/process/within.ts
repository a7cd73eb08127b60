import { unavailable } from '../http/errors.ts'

/**
 * What the work results in. It goes on after the limit, since others may wait for it.
 * @throws what `late` makes, by default AppError 503, after `ms`
 */
export async function within<T>(
  ms: number,
  work: T | Promise<T>,
  late: () => Error = () => unavailable(undefined, 1),
): Promise<T> {
  const limit = Promise.withResolvers<never>()
  const timer = setTimeout(() => limit.reject(late()), ms)
  try {
    return await Promise.race([work, limit.promise])
  } finally {
    clearTimeout(timer)
  }
}
