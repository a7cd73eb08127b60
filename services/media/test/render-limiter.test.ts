import { expect, test } from 'vitest'
import { createRenderLimiter } from '../src/limits.ts'

/** Work that ends when it is told to. */
function createWorks() {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () => {
    started.push(name)
    const { promise, resolve } = Promise.withResolvers<void>()
    ends.set(name, resolve)
    return promise
  }
  const settle = async () => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
  }
  async function end(name: string): Promise<void> {
    ends.get(name)?.()
    await settle()
  }
  return { started, work, end, settle }
}

test("renders one user's photo next, although another user's slow ones wait since before", async () => {
  const { started, work, end, settle } = createWorks()
  const limiter = createRenderLimiter(2)
  for (const name of ['a1', 'a2', 'a3', 'a4']) void limiter.photo(1, work(name))
  void limiter.photo(2, work('b1'))
  await settle()
  expect(started).toEqual(['a1', 'a2'])
  await end('a1')
  await end('a2')
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3'])
  await end('b1')
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'a4'])
})

test('renders it after one image that is rendered alone, although more of them wait', async () => {
  const { started, work, end, settle } = createWorks()
  const limiter = createRenderLimiter(2, 2)
  for (const name of ['a1', 'a2', 'a3']) void limiter.alone(1, work(name))
  await settle()
  void limiter.photo(2, work('b1'))
  await settle()
  void limiter.alone(3, work('c1'))
  await settle()
  expect(started).toEqual(['a1'])
  await end('a1')
  expect(started).toEqual(['a1', 'b1'])
  await end('b1')
  expect(started).toEqual(['a1', 'b1', 'c1'])
  await end('c1')
  expect(started).toEqual(['a1', 'b1', 'c1', 'a2'])
})
