import { errorMonitor } from 'node:events'
import { metrics } from '../telemetry/metrics.ts'
import type { ObjectStore } from './types.ts'

const durations = metrics.histogram(
  'skyfolio_object_store_seconds',
  'Duration of calls to the object store: of a put including its body, of a get up to its first byte',
  ['operation'],
  [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
)
const failures = metrics.counter('skyfolio_object_store_errors_total', 'Calls to the object store that failed', [
  'operation',
])

/** The same store with metrics by operation. */
export function measured(store: ObjectStore): ObjectStore {
  for (const operation of ['put', 'head', 'get', 'remove', 'list', 'incomplete', 'check'])
    failures.inc({ operation }, 0)
  return {
    // An error of the body is not an error of the store.
    put: (key, body, options) =>
      call(
        'put',
        () => store.put(key, body, options),
        (error) => body.errored !== error,
      ),
    head: (key) => call('head', () => store.head(key)),
    async get(key, range) {
      const found = await call('get', () => store.get(key, range))
      found?.body.once(errorMonitor, () => failures.inc({ operation: 'get' }))
      return found
    },
    remove: (key) => call('remove', () => store.remove(key)),
    list: (prefix) => each('list', store.list(prefix)),
    incomplete: () => each('incomplete', store.incomplete()),
    check: () => call('check', () => store.check()),
  }
}

async function call<T>(
  operation: string,
  work: () => Promise<T>,
  isFailure: (error: unknown) => boolean = () => true,
): Promise<T> {
  const done = durations.startTimer({ operation })
  try {
    return await work()
  } catch (error) {
    if (isFailure(error)) failures.inc({ operation })
    throw error
  } finally {
    done()
  }
}

async function* each<T>(operation: string, items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items
  } catch (error) {
    failures.inc({ operation })
    throw error
  }
}
