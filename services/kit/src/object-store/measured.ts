import { errorMonitor } from 'node:events'
import { AppError } from '../http/errors.ts'
import { isStorageFull } from '../process/storage-full.ts'
import { metrics } from '../telemetry/metrics.ts'
import { PartMismatch, UnknownUpload } from './part-errors.ts'
import type { ObjectStore, PartStore } from './types.ts'

const OPERATIONS = [
  ...['put', 'head', 'get', 'remove', 'list', 'incomplete', 'check'],
  ...['part_begin', 'part_put', 'part_list', 'part_complete', 'part_abort'],
]

const durations = metrics.histogram(
  'skyfolio_object_store_seconds',
  'Duration of calls to the object store: of a put including its body, of a get up to its first byte',
  ['operation'],
  [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
)
const failures = metrics.counter('skyfolio_object_store_errors_total', 'Calls to the object store that failed', [
  'operation',
])
const rejected = metrics.counter(
  'skyfolio_object_store_full_total',
  'Objects that were not stored because the store was full, or had only its reserve left',
)

/** The same store with metrics by operation. */
export function measured(store: ObjectStore): ObjectStore {
  for (const operation of OPERATIONS) failures.inc({ operation }, 0)
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
    parts: measuredParts(store.parts),
    direct: store.direct,
    check: () => call('check', () => store.check()),
  }
}

function measuredParts(parts: PartStore): PartStore {
  // What the store says of the upload, or of a client's bytes, is no failure of the store.
  const isFailure = (error: unknown) =>
    !(error instanceof PartMismatch || error instanceof UnknownUpload) &&
    !(error instanceof AppError && error.status < 500)
  return {
    limits: parts.limits,
    begin: (key, size, options) => call('part_begin', () => parts.begin(key, size, options)),
    admit: (upload, part, body) => parts.admit(upload, part, body),
    put: (upload, part, body, admission) =>
      call(
        'part_put',
        () => parts.put(upload, part, body, admission),
        (error) => isFailure(error) && !body.readableAborted && error !== admission?.signal.reason,
      ),
    list: (upload) => call('part_list', () => parts.list(upload)),
    complete: (upload, specs, etags) => call('part_complete', () => parts.complete(upload, specs, etags), isFailure),
    abort: (upload) => call('part_abort', () => parts.abort(upload)),
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
    if (isStorageFull(error)) rejected.inc()
    else if (isFailure(error)) failures.inc({ operation })
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
