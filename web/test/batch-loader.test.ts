import { expect, test } from 'vitest'
import { createBatchLoader } from '../src/lib/batch-loader.ts'

interface Value {
  id: number
}

function createLoader(load: (ids: number[]) => Promise<Value[]> = async (ids) => ids.map((id) => ({ id }))) {
  const requests: number[][] = []
  const loadMany = (ids: number[]) => {
    requests.push(ids)
    return load(ids)
  }
  return { requests, load: createBatchLoader(loadMany, { size: 3, idOf: ({ id }: Value) => id }) }
}

test('values that are needed together come in requests of limited size, each value once', async () => {
  const { requests, load } = createLoader()
  const values = await Promise.all([5, 1, 5, 2, 9].map(load))
  expect(values.map((value) => value?.id)).toEqual([5, 1, 5, 2, 9])
  expect(requests).toEqual([[5, 1, 2], [9]])
})

test('a value that is needed later comes with a new request', async () => {
  const { requests, load } = createLoader()
  await load(1)
  await load(1)
  expect(requests).toEqual([[1], [1]])
})

test('a value that does not exist is null', async () => {
  const { load } = createLoader(async () => [{ id: 2 }])
  expect(await Promise.all([load(1), load(2)])).toEqual([null, { id: 2 }])
})

test('a failed request fails the values that waited for it, and no later ones', async () => {
  let failures = 1
  const { load } = createLoader(async (ids) => {
    if (failures-- > 0) throw new Error('unavailable')
    return ids.map((id) => ({ id }))
  })
  await expect(load(1)).rejects.toThrow('unavailable')
  expect(await load(1)).toEqual({ id: 1 })
})
