import { sendRequest } from '@skyfolio/kit'
import { exportSources } from '@skyfolio/proto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newUser, openTestSystem, storeOrder, type TestSystem } from './support.ts'

const PAGE_BYTES = 512 * 1024

let system: TestSystem
beforeAll(async () => {
  system = await openTestSystem()
  await system.start()
})
afterAll(() => system.close())

/** All pages of a user's export, as media requests them. */
async function exported(userId: number) {
  const files: { path: string; content: unknown }[] = []
  let cursor = ''
  do {
    const page = await sendRequest(system.nats, exportSources.orders, { userId, cursor }, { timeoutMs: 10_000 })
    expect(page.files.reduce((sum, { content }) => sum + content.length, 0)).toBeLessThanOrEqual(PAGE_BYTES)
    for (const { path, content } of page.files) {
      files.push({ path, content: JSON.parse(Buffer.from(content).toString()) })
    }
    cursor = page.next
  } while (cursor !== '')
  return files
}

test('has the remembered details and every order with items and history, of this user only', async () => {
  const { userId } = newUser()
  await storeOrder(system.db, { userId: newUser().userId })
  const order = await storeOrder(system.db, { userId, orderStatus: 'ready', item: { photoId: 5, photoTitle: 'Lake' } })
  const rejected = await storeOrder(system.db, { userId, orderStatus: 'rejected', rejection: 'Not today.' })
  await system.db.orderHistory.create({ data: { orderId: order.id, status: 'ready', note: 'Ready.' } })
  const details = { firstName: 'Ada', lastName: 'Quill', email: 'ada@quill.test', phone: '2185550199' }
  await system.db.customerDetails.create({ data: { userId, ...details } })
  expect(await exported(userId)).toEqual([
    { path: 'orders/customer.json', content: details },
    {
      path: 'orders/orders-0001.json',
      content: [
        expect.objectContaining({
          id: order.id,
          orderStatus: 'ready',
          customerLastName: 'Quillfeather',
          items: [expect.objectContaining({ photoId: 5, photoTitle: 'Lake' })],
          history: [{ at: expect.any(String), status: 'ready', note: 'Ready.' }],
        }),
        expect.objectContaining({ id: rejected.id, orderStatus: 'rejected', rejection: 'Not today.', history: [] }),
      ],
    },
  ])
})

test('has no address of a print image, which would open it without signing in', async () => {
  const { userId } = newUser()
  await storeOrder(system.db, { userId, orderStatus: 'ready', item: { photoId: 5, photoTitle: 'Lake' } })
  expect(JSON.stringify(await exported(userId))).not.toMatch(/imageUrl|http/)
})

test('has pages of at most half a megabyte, which lose and repeat no order', async () => {
  const { userId } = newUser()
  const ids: number[] = []
  for (let count = 0; count < 120; count += 1) {
    const note = 'n'.repeat(10_000)
    const history = { create: [{ status: 'submitted', note }] }
    ids.push((await storeOrder(system.db, { userId, history })).id)
  }
  const files = await exported(userId)
  expect(files.length).toBeGreaterThan(4)
  expect(files.map(({ path }) => path)).toEqual(files.map((_, index) => `orders/orders-000${index + 1}.json`))
  const orders = files.flatMap(({ content }) => content as { id: number }[])
  expect(orders.map(({ id }) => id)).toEqual(ids)
})

test('a user without anything has no files', async () => {
  expect(await exported(newUser().userId)).toEqual([])
})
