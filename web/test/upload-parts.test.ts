import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { canRetry } from '../src/features/upload/queue/items.ts'
import { PartPlan, TransferRate } from '../src/features/upload/queue/part-plan.ts'
import { overviewOf } from '../src/features/upload/texts.ts'
import { advance, apiError, batch, noResponse, photos, UploadFixture } from './upload-fixture.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const MB = 1_048_576
const large = photos(1, { bytes: 10_000 })
const percent = (upload: UploadFixture) => overviewOf(upload.queue).percent

describe('a large file', () => {
  test('is sent in parts, each once, and continues with what is missing when an earlier visit has sent some', async () => {
    const upload = new UploadFixture()
    upload.open('DJI_1.JPG', 10_000, 2500)
    for (const number of [1, 2, 4]) upload.sessions.get('session of DJI_1.JPG')?.stored.add(number)
    const open = upload.block()
    upload.queue.add(large, batch)
    await advance(1000)
    // Three parts of four are stored, half of the third is on the way.
    expect(upload.item('DJI_1.JPG').state).toEqual({ name: 'sending', stored: 7500, inFlight: 1250 })
    expect(percent(upload)).toBe(87)
    expect(upload.queue.speed ?? 0).toBeLessThan(1500)
    open()
    await advance()
    expect(upload.sent).toEqual(['DJI_1.JPG/3'])
    expect(upload.states()).toEqual({ ready: 1 })
  })

  test('sends only what is missing over a line that breaks again and again, and its progress takes back what broke', async () => {
    const upload = new UploadFixture()
    let inLine = 0
    const seen: number[] = []
    upload.failPart = (_name, number) => {
      seen.push(percent(upload))
      inLine += 1
      if (inLine % 3 !== 0) return null
      // The second break loses only the response: the server has the part.
      if (inLine === 6) upload.sessions.get('session of DJI_1.JPG')?.stored.add(number)
      return noResponse()
    }
    upload.queue.add(large, batch)
    await advance(300_000)
    expect(upload.states()).toEqual({ ready: 1 })
    // Of 14 attempts four broke; one of them had arrived.
    expect(upload.sent).toHaveLength(14 - 1)
    expect(new Set(upload.sent).size).toBe(10)
    expect(Math.max(...seen)).toBeLessThanOrEqual(99)
  })

  test('shows no bytes of parts that broke, and 99 percent until the photo is stored', async () => {
    const upload = new UploadFixture()
    upload.failPart = (_name, number) => (number > 5 ? noResponse() : null)
    upload.queue.add(large, batch)
    await advance(500)
    expect(upload.item('DJI_1.JPG').state).toEqual({ name: 'sending', stored: 5000, inFlight: 0 })
    expect(percent(upload)).toBe(50)
    let complete = () => {}
    const completed = new Promise<void>((resolve) => {
      complete = resolve
    })
    const { complete: send } = upload
    upload.complete = (id) => completed.then(() => send(id))
    upload.failPart = () => null
    await advance(60_000)
    expect(upload.item('DJI_1.JPG').state).toEqual({ name: 'sending', stored: 10_000, inFlight: 0 })
    expect(percent(upload)).toBe(99)
    expect(upload.queue.canCancel(upload.item('DJI_1.JPG'))).toBe(false)
    complete()
    await advance()
    expect(upload.states()).toEqual({ ready: 1 })
  })

  test('never gives up while some part arrives between two breaks', async () => {
    const upload = new UploadFixture()
    let sent = 0
    upload.failPart = () => {
      sent += 1
      return sent % 5 === 0 ? null : noResponse()
    }
    upload.queue.add(photos(1, { bytes: 4000 }), { ...batch, parts: { ...batch.parts, minPartBytes: 1000 } })
    await advance(40 * 60_000)
    expect(upload.states()).toEqual({ ready: 1 })
  })

  test('is cut into the smallest parts when none of its parts arrives', async () => {
    const upload = new UploadFixture()
    upload.failPart = () => ((upload.sessions.get('session of DJI_1.JPG')?.partBytes ?? 0) > 400 ? noResponse() : null)
    upload.queue.add(large, batch)
    await advance(120_000)
    expect(upload.states()).toEqual({ ready: 1 })
    expect(upload.cancelled).toEqual(['DJI_1.JPG'])
    expect(upload.sessions.get('session of DJI_1.JPG')).toMatchObject({ partBytes: 400, stored: { size: 25 } })
  })

  test('is cut again before it is sent when its parts were cut before the connection broke', async () => {
    const upload = new UploadFixture()
    upload.rate = 100
    const partBytesOf = (name: string) => upload.sessions.get(`session of ${name}`)?.partBytes ?? 0
    upload.failPart = (name) => (partBytesOf(name) > 400 ? noResponse() : null)
    upload.queue.add(photos(2, { bytes: 10_000 }), batch)
    await advance(300_000)
    expect(upload.states()).toEqual({ ready: 2 })
    expect(upload.cancelled).toEqual(['DJI_1.JPG'])
    expect(upload.sent.filter((part) => part.startsWith('DJI_2'))).toHaveLength(25)
  })

  test('is cut into smaller parts when a proxy lets none of this size through, and ends when none are smaller', async () => {
    const upload = new UploadFixture()
    const partBytesOf = (name: string) => upload.sessions.get(`session of ${name}`)?.partBytes ?? 0
    upload.failPart = (name) => (partBytesOf(name) > 400 || name === 'DJI_2.JPG' ? apiError(413) : null)
    upload.queue.add(photos(2, { bytes: 10_000 }), batch)
    await advance(120_000)
    expect(upload.states()).toEqual({ ready: 1, rejected: 1 })
    // None of them is left at the server.
    expect(upload.cancelled).toContain('DJI_2.JPG')
    expect(upload.sessions.has('session of DJI_2.JPG')).toBe(false)
  })

  test('is given up when the server misses what it has stored, again and again', async () => {
    const upload = new UploadFixture()
    upload.failCompleting = (name) => {
      upload.sessions.get(`session of ${name}`)?.stored.delete(1)
      return apiError(409, { code: 'parts_missing', message: 'A part is missing.' })
    }
    upload.queue.add(large, batch)
    await advance(300_000)
    expect(upload.item('DJI_1.JPG').state).toEqual({ name: 'failed', reason: 'A part is missing.' })
    expect(upload.sent).toHaveLength(10 + 2)
  })

  test('fails with that sentence when it changes while it is sent, and has to be chosen again', async () => {
    const upload = new UploadFixture()
    upload.failPart = (_name, number) => (number === 3 ? apiError(422, { code: 'part_checksum' }) : null)
    upload.queue.add(large, batch)
    await advance()
    const reason = 'The file has changed while it was being uploaded. Choose it again.'
    expect(upload.item('DJI_1.JPG').state).toEqual({ name: 'rejected', reason })
    expect(canRetry(upload.item('DJI_1.JPG'))).toBe(false)
    expect(upload.cancelled).toEqual(['DJI_1.JPG'])
    upload.failPart = () => null
    upload.queue.add(large, batch)
    await advance()
    expect(upload.states()).toEqual({ ready: 1 })
  })

  test('ends the same way when the browser does not read it any more because it changed', async () => {
    const upload = new UploadFixture()
    upload.failPart = (_name, number) => {
      if (number !== 3) return null
      upload.changed.add('DJI_1.JPG')
      return noResponse()
    }
    upload.queue.add(large, batch)
    await advance()
    expect(upload.item('DJI_1.JPG').state.name).toBe('rejected')
    expect(upload.cancelled).toEqual(['DJI_1.JPG'])
  })

  test('waits for another tab that sends it, and then only sends what is missing', async () => {
    const upload = new UploadFixture()
    const other = Promise.withResolvers<void>()
    upload.heldElsewhere.set('session of DJI_1.JPG', other.promise)
    upload.queue.add([...large, ...photos(1, { from: 2 })], batch)
    await advance()
    expect(upload.sent).toEqual(['DJI_2.JPG/1'])
    upload.store('DJI_1.JPG', [1, 2, 3, 4, 5, 6, 7, 8])
    other.resolve()
    await advance()
    expect(upload.states()).toEqual({ ready: 2 })
    expect(upload.sent).toEqual(['DJI_2.JPG/1', 'DJI_1.JPG/9', 'DJI_1.JPG/10'])
  })

  test('says why when the server has rejected it meanwhile', async () => {
    const upload = new UploadFixture()
    upload.failCompleting = (name) => {
      Object.assign(upload.sessions.get(`session of ${name}`) ?? {}, { state: 'failed', message: 'Too small.' })
      return noResponse()
    }
    upload.queue.add(large, batch)
    await advance()
    expect(upload.item('DJI_1.JPG').state).toEqual({ name: 'rejected', reason: 'Too small.' })
  })

  test('is sent again from a closed laptop without waiting for the end of dead requests', async () => {
    const upload = new UploadFixture()
    upload.block()
    upload.queue.add(large, batch)
    // Dead requests are no attempts: the parts stay as they are.
    for (let sleep = 0; sleep < 8; sleep += 1) {
      await advance(60_000)
      upload.queue.wake()
    }
    const before = upload.sent.length
    upload.blockedBy = Promise.resolve()
    await advance(60_000)
    upload.queue.wake()
    await advance(5000)
    expect(upload.sent.length).toBeGreaterThan(before)
    await advance()
    expect(upload.states()).toEqual({ ready: 1 })
    expect(upload.cancelled).toEqual([])
  })

  test('is not sent again because the user looks at the page', async () => {
    const upload = new UploadFixture()
    const open = upload.block()
    upload.queue.add(large, batch)
    await advance(25_000)
    const before = upload.sent.length
    upload.queue.look()
    await advance(1000)
    expect(upload.sent).toHaveLength(before)
    open()
    await advance()
    expect(upload.sent).toHaveLength(10)
  })
})

describe('parts straight to the object store', () => {
  test('go by the URLs of the upload session, and by new ones when these are used up', async () => {
    const upload = new UploadFixture()
    upload.isDirect = true
    upload.queue.add(large, batch)
    await advance()
    expect(upload.states()).toEqual({ ready: 1 })
    expect(upload.sentDirectly).toHaveLength(10)
  })

  test('get a new URL when theirs has expired', async () => {
    const upload = new UploadFixture()
    upload.isDirect = true
    let expired = false
    upload.failPart = (_name, number) => {
      if (number !== 4 || expired) return null
      expired = true
      return apiError(403, { code: 'url_expired' })
    }
    upload.queue.add(large, batch)
    await advance()
    expect(upload.states()).toEqual({ ready: 1 })
    expect(upload.sent).toHaveLength(11)
    expect(upload.sentDirectly).toHaveLength(11)
  })

  test.each([
    ['does not respond', noResponse()],
    ['is busy', apiError(503)],
  ])('go through the gateway once the object store %s twice while the gateway responds', async (_, error) => {
    const upload = new UploadFixture()
    upload.isDirect = true
    upload.failPart = (_name, _number, isDirect) => (isDirect ? error : null)
    upload.queue.add(large, batch)
    await advance(30_000)
    expect(upload.states()).toEqual({ ready: 1 })
    expect(new Set(upload.sentDirectly).size).toBeLessThanOrEqual(4)
    upload.queue.add(photos(1, { from: 2 }), batch)
    await advance()
    expect(upload.sentDirectly).not.toContain('DJI_2.JPG/1')
  })
})

describe('the plan of parts', () => {
  const limits = { partBytes: 8 * MB, minPartBytes: 5 * MB, maxPartBytes: 32 * MB }
  const plan = (rate: number | null) => new PartPlan({ read: () => rate, write: () => {} })

  test('takes the recommended size until the rate is known, then about eight seconds within the limits', () => {
    expect(plan(null).partBytes(150 * MB, limits)).toBe(8 * MB)
    expect([0.1, 1.5, 9].map((rate) => plan(rate * MB).partBytes(150 * MB, limits) / MB)).toEqual([5, 12, 32])
  })

  test('takes the smallest size, and less at a time, after the connection broke', () => {
    const broken = plan(9 * MB)
    const before = broken.window
    broken.hasBroken = true
    expect(broken.partBytes(150 * MB, limits)).toBe(5 * MB)
    expect(broken.window).toBeLessThan(before / 2)
  })

  test('makes no more parts of a file than the server accepts', () => {
    expect(plan(1).partBytes(4000 * MB, limits)).toBe(10 * MB)
  })

  test('remembers the rate', async () => {
    const rates: number[] = []
    const remembering = new PartPlan({ read: () => null, write: (rate) => rates.push(rate) })
    for (let second = 0; second < 10; second += 1) {
      remembering.transferRate.record(1000)
      remembering.stored()
      await advance(1000)
    }
    expect(rates.length).toBeGreaterThan(0)
    expect(rates.length).toBeLessThan(4)
    expect(rates.at(-1)).toBeGreaterThan(900)
  })
})

describe('the transfer rate', () => {
  test('is an average, and null for the first seconds', () => {
    const speed = new TransferRate()
    speed.record(0, 0)
    expect(speed.bytesPerSecond(1000)).toBeNull()
    for (let at = 1000; at <= 40_000; at += 1000) speed.record(at % 2000 === 0 ? 2000 : 0, at)
    expect(speed.bytesPerSecond(40_000)).toBeGreaterThan(900)
    expect(speed.bytesPerSecond(40_000)).toBeLessThan(1200)
  })
})
