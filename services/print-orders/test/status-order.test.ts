import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isListed, mayFollow, ORDER_STATUSES, type OrderStatus } from '../src/orders/status-order.ts'

const anyStatus = fc.constantFrom(...ORDER_STATUSES)

/** The course of an order as the store reports it. */
const COURSE: OrderStatus[] = ['claimed', 'unknown', 'submitted', 'processing', 'ready', 'picked_up']

/** Applies reports in this order, as `applyStatus` does. */
function courseOf(reports: OrderStatus[], start: OrderStatus): OrderStatus[] {
  const course = [start]
  for (const report of reports) if (mayFollow(course.at(-1) ?? start, report)) course.push(report)
  return course
}

test('whatever is reported in whatever order, an order never has a status again and never goes backwards', () => {
  fc.assert(
    fc.property(anyStatus, fc.array(anyStatus, { maxLength: 30 }), (start, reports) => {
      const course = courseOf(reports, start)
      expect(new Set(course).size).toBe(course.length)
      const places = course.filter((status) => COURSE.includes(status)).map((status) => COURSE.indexOf(status))
      expect(places).toEqual(places.toSorted((a, b) => a - b))
    }),
  )
})

test('an order that users have seen is never hidden again', () => {
  fc.assert(
    fc.property(anyStatus, fc.array(anyStatus, { maxLength: 30 }), (start, reports) => {
      const listed = courseOf(reports, start).map(isListed)
      expect(listed).toEqual(listed.toSorted((a, b) => Number(a) - Number(b)))
    }),
  )
})

test.each(['rejected', 'picked_up', 'cancelled'] as const)('%s is the end', (end) => {
  for (const status of ORDER_STATUSES) expect(mayFollow(end, status)).toBe(false)
})

test('only an order whose outcome is open can be rejected', () => {
  expect(ORDER_STATUSES.filter((status) => mayFollow(status, 'rejected'))).toEqual(['claimed'])
})

test('every order that the partner has can be cancelled until it is picked up', () => {
  expect(ORDER_STATUSES.filter((status) => mayFollow(status, 'cancelled'))).toEqual([
    'unknown',
    'submitted',
    'processing',
    'ready',
  ])
})
