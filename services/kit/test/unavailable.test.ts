import { once } from 'node:events'
import { connect } from 'node:net'
import { isUnavailable } from '@skyfolio/kit'
import { expect, test } from 'vitest'

test('a service that refuses connections is unavailable, also as the cause of something else', async () => {
  const [refused] = await once(connect(1, '127.0.0.1'), 'error')
  expect(isUnavailable(new Error('no response', { cause: refused }))).toBe(true)
})

test('a time limit of our own is not an outage', async () => {
  const signal = AbortSignal.timeout(1)
  const error = await once(new EventTarget(), 'never', { signal }).catch((reason) => reason)
  expect(error.cause.name).toBe('TimeoutError')
  expect(isUnavailable(new Error('not in time', { cause: error }))).toBe(false)
})

test('a Redis that accepts no writes is unavailable', () => {
  for (const reply of ['NOREPLICAS Not enough good replicas to write.', "READONLY You can't write against a replica."])
    expect(isUnavailable(new Error(reply)), reply).toBe(true)
})
