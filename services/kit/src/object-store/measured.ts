import { errorMonitor } from 'node:events'
import { AppError } from '../http/errors.ts'
import { isStorageFull } from '../process/storage-full.ts'
import { metrics } from '../telemetry/metrics.ts'
import { PartMismatch, UnknownUpload } from './parts.ts'
import type { ObjectStore, PartStore } from './types.ts'

const SEGMENT = '[A-Za-z0-9][A-Za-z0-9._-]*'
const KEY = new RegExp(`^${SEGMENT}(/${SEGMENT})*$`)

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

/** The same store with checked keys, and metrics by operation. */
export function checkedAndMeasured(store: ObjectStore): ObjectStore {
  for (const operation of OPERATIONS) failures.inc({ operation }, 0)
  return {
    // An error of the body is not an error of the store.
    put: (key, body, options) =>
      call('put', key, () => store.put(key, body, options), { isFailure: (error) => body.errored !== error }),
    head: (key) => call('head', key, () => store.head(key)),
    async get(key, range) {
      const found = await call('get', key, () => store.get(key, range))
      found?.body.once(errorMonitor, () => failures.inc({ operation: 'get' }))
      return found
    },
    remove: (key) => call('remove', key, () => store.remove(key)),
    list: (prefix) => each('list', store.list(prefix)),
    incomplete: () => each('incomplete', store.incomplete()),
    parts: measuredParts(store.parts),
    direct: store.direct,
    check: () => call('check', null, () => store.check()),
  }
}

function measuredParts(parts: PartStore): PartStore {
  // What the store says of the upload, or of a client's bytes, is no failure of the store.
  const isFailure = (error: unknown) =>
    !(error instanceof PartMismatch || error instanceof UnknownUpload) &&
    !(error instanceof AppError && error.status < 500)
  return {
    limits: parts.limits,
    begin: (key, size) => call('part_begin', key, () => parts.begin(key, size)),
    admit: (upload, part, body) => parts.admit(upload, part, body),
    put: (upload, part, body, admission) =>
      call('part_put', upload.key, () => parts.put(upload, part, body, admission), {
        isFailure: (error) => isFailure(error) && !body.readableAborted && error !== admission.signal.reason,
      }),
    list: (upload) => call('part_list', upload.key, () => parts.list(upload)),
    complete: (upload, specs) => call('part_complete', upload.key, () => parts.complete(upload, specs), { isFailure }),
    abort: (upload) => call('part_abort', upload.key, () => parts.abort(upload)),
  }
}

async function call<T>(
  operation: string,
  key: string | null,
  work: () => Promise<T>,
  { isFailure = () => true }: { isFailure?: (error: unknown) => boolean } = {},
): Promise<T> {
  // A plain relative path: no segment starts with a dot, so none leads out of the store.
  if (key !== null && (key.length > 512 || !KEY.test(key)))
    throw new TypeError(`not an object key: ${JSON.stringify(key.slice(0, 100))}`)
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
