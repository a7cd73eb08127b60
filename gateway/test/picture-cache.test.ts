import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPictureCache, type PictureCache } from '../src/pictures/picture-cache.ts'

const KB = 1024
const MAX_BYTES = 64 * KB

let cache: PictureCache
beforeEach(() => {
  cache = createPictureCache(MAX_BYTES)
})
afterEach(() => cache.close())

/** A response whose client reads nothing. */
function slowResponse(bytes: Buffer): ServerResponse {
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  response.end(bytes)
  return response
}

test('holds no more than its bound, the pictures that were used last', () => {
  for (let number = 0; number < 100; number += 1) {
    cache.add(`picture ${number}`, Buffer.alloc(10 * KB))
    cache.get('picture 0')
    expect(cache.cachedBytes()).toBeLessThanOrEqual(MAX_BYTES)
  }
  expect(cache.get('picture 0')).toBeDefined()
  expect(cache.get('picture 1')).toBeUndefined()
  expect(cache.get('picture 99')).toBeDefined()
  expect(cache.evictedBytes()).toBe(0)
})

test('counts what slow clients still receive after it was evicted, once for all of them', () => {
  const picture = cache.add('held', Buffer.alloc(10 * KB))
  const [one, other] = [slowResponse(picture.bytes), slowResponse(picture.bytes)]
  cache.hold(picture, one)
  cache.hold(picture, other)
  expect(cache.evictedBytes()).toBe(0)
  for (let number = 0; number < 10; number += 1) cache.add(`picture ${number}`, Buffer.alloc(10 * KB))
  expect(cache.get('held')).toBeUndefined()
  expect(cache.evictedBytes()).toBe(10 * KB)
  one.emit('close')
  expect(cache.evictedBytes()).toBe(10 * KB)
  other.emit('close')
  expect(cache.evictedBytes()).toBe(0)
})

test('has no room while slow clients hold as much as it may have itself', () => {
  const responses: ServerResponse[] = []
  for (let number = 0; cache.hasRoom(); number += 1) {
    const picture = cache.add(`picture ${number}`, Buffer.alloc(10 * KB))
    const response = slowResponse(picture.bytes)
    cache.hold(picture, response)
    responses.push(response)
    expect(number).toBeLessThan(20)
  }
  expect(cache.evictedBytes()).toBeLessThan(MAX_BYTES + 10 * KB)
  for (const response of responses) response.emit('close')
  expect([cache.hasRoom(), cache.evictedBytes()]).toEqual([true, 0])
})

test('does not count a client that has received everything', () => {
  const picture = cache.add('sent', Buffer.alloc(10 * KB))
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  response.destroy()
  cache.hold(picture, response)
  for (let number = 0; number < 10; number += 1) cache.add(`picture ${number}`, Buffer.alloc(10 * KB))
  expect(cache.evictedBytes()).toBe(0)
})
