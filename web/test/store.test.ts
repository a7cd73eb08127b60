import { expect, test, vi } from 'vitest'
import { createStore } from '../src/lib/store.ts'

test('holds the value that was set last', () => {
  const store = createStore('light')
  expect(store.get()).toBe('light')
  store.set('dark')
  expect(store.get()).toBe('dark')
})

test('notifies every subscriber after the value has changed', () => {
  const store = createStore(1)
  const seen: number[] = []
  store.subscribe(() => seen.push(store.get()))
  store.subscribe(() => seen.push(store.get() * 10))
  store.set(2)
  expect(seen).toEqual([2, 20])
})

test('does not notify a listener that has unsubscribed', () => {
  const store = createStore(1)
  const listener = vi.fn()
  const unsubscribe = store.subscribe(listener)
  unsubscribe()
  store.set(2)
  expect(listener).not.toHaveBeenCalled()
})
