import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { TEST_IDENTITY_KEYS, waitFor } from '@skyfolio/testkit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLimits } from '../src/limits/limits.ts'
import { createLoader } from '../src/pictures/load-picture.ts'
import type { Picture } from '../src/pictures/picture-cache.ts'
import { type ScriptedMedia, startScriptedMedia } from './scripted-media.ts'
import { NO_LIMITS } from './support.ts'

/** Loads at the same time, in the gateway. */
const AT_ONCE = 16

let media: ScriptedMedia
beforeEach(async () => {
  media = await startScriptedMedia()
})
afterEach(() => media.close())

const nameOf = (number: number) => `${String(number).padStart(32, '0')}.webp`

test('a site has a quarter of the queue for new pictures, and another one takes turns with it', async () => {
  const ends: (() => void)[] = []
  media.script.load = () => new Promise((resolve) => ends.push(() => resolve(Buffer.from('x'))))
  const keep = (_name: string, bytes: Buffer): Picture => ({ bytes, readers: 0, isCached: false })
  const options = { mediaUrl: media.url, identityKeys: TEST_IDENTITY_KEYS, maxBytes: 100, maxWaiting: 40 }
  const loader = createLoader({ ...options, keep })
  const load = (number: number, address: string) =>
    loader.load(nameOf(number), new EventEmitter() as ServerResponse, address)

  const loads = Array.from({ length: AT_ONCE + 10 }, (_, number) => load(number, '192.0.2.1'))
  await expect(load(100, '192.0.2.1')).rejects.toMatchObject({ status: 429, retryAfter: 1 })
  // Who waits for the same picture takes no further place.
  loads.push(load(5, '192.0.2.1'), load(200, '192.0.2.2'))
  await waitFor(() => ends.length === AT_ONCE, { what: 'the first loads' })
  for (const end of ends.splice(0, 2)) end()
  await waitFor(() => media.seen.loaded.includes(nameOf(200)), { what: 'the turn of the other' })
  expect(media.seen.loaded.length).toBeLessThanOrEqual(AT_ONCE + 2)
  media.script.load = async () => Buffer.from('x')
  for (const end of ends.splice(0)) end()
  await waitFor(() => media.seen.loaded.length === AT_ONCE + 11, { what: 'the last load' })
  for (const end of ends.splice(0)) end()
  await Promise.all(loads)
  loader.close()
})

test('a site has a quarter of the delayed requests', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const limits = createLimits({ ...NO_LIMITS, pagesPerMinuteOfAddress: 60, maxDelayed: 8 })
  const proceeded: string[] = []
  function send(ip: string) {
    const raw = new EventEmitter()
    const reply = { raw, hijack: () => proceeded.push(`${ip} left`) } as unknown as FastifyReply
    limits.admitPicture({ ip } as FastifyRequest, reply, () => proceeded.push(ip))
    return raw
  }
  const [a, b] = ['192.0.2.1', '192.0.2.2']
  // What is there at once.
  for (let count = 0; count < 60; count += 1) for (const ip of [a, b]) send(ip)
  proceeded.length = 0
  const rejection = expect.objectContaining({ status: 429, limit: 'delayed-pictures-of-address' })
  send(a)
  send(a)
  expect(() => send(a)).toThrow(rejection)
  send(b)
  const impatient = send(b)
  expect(() => send(b)).toThrow(rejection)
  impatient.emit('close')
  send(b)
  vi.advanceTimersByTime(2_100)
  expect(proceeded.toSorted()).toEqual([a, a, b, b, `${b} left`])
  send(a)
  vi.useRealTimers()
})
