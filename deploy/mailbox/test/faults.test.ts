import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Mailbox, startMailbox } from '../src/mailbox.ts'
import { mail, openDialog, sender } from './support.ts'

const ANN = 'ann@example.test'
let mailbox: Mailbox
let mailer: ReturnType<typeof sender>

beforeAll(async () => {
  mailbox = await startMailbox()
  mailer = sender(mailbox.smtpUrl, { socketTimeout: 500 })
})
afterEach(async () => {
  await mailbox.clearFault()
  await mailbox.deleteMessages()
  await mailbox.resetStats()
})
afterAll(async () => {
  mailer.close()
  await mailbox.stop()
})

describe('a fault', () => {
  test.each([
    ['busy', {}, 451],
    ['busy', { at: 'content' }, 451],
    ['busy', { code: 452 }, 452],
    ['reject', {}, 550],
    ['reject', { at: 'content', code: 554 }, 554],
  ] as const)('%s with %j answers %i, and nothing is kept', async (reply, more, responseCode) => {
    await mailbox.setFault({ reply, ...more })
    await expect(mailer.sendMail(mail(ANN))).rejects.toMatchObject({ responseCode })
    expect(await mailbox.summaries()).toEqual([])
    expect(await mailbox.stats()).toMatchObject({
      attempts: 1,
      [reply === 'busy' ? 'busy' : 'rejected']: 1,
      accepted: 0,
    })
    await mailbox.clearFault()
    await mailer.sendMail(mail(ANN))
    expect(await mailbox.summaries()).toHaveLength(1)
  })

  test('busy with 421 closes the connection', async () => {
    await mailbox.setFault({ reply: 'busy', code: 421 })
    const { say, closed } = await openDialog(mailbox.smtpUrl)
    for (const line of ['EHLO test', 'MAIL FROM:<a@example.test>']) await say(line)
    expect(await say(`RCPT TO:<${ANN}>`)).toMatch(/^421/)
    await closed
  })

  test('drop-after-data keeps the message and drops the connection without an answer', async () => {
    await mailbox.setFault({ reply: 'drop-after-data', times: 1 })
    await expect(mailer.sendMail(mail(ANN))).rejects.toThrow()
    expect(await mailbox.summaries()).toHaveLength(1)
    expect(await mailbox.stats()).toMatchObject({ accepted: 0, dropped: 1 })
  })

  test('hang neither answers nor keeps the message', async () => {
    await mailbox.setFault({ reply: 'hang' })
    await expect(mailer.sendMail(mail(ANN))).rejects.toMatchObject({ code: 'ETIMEDOUT' })
    expect(await mailbox.summaries()).toEqual([])
    expect((await mailbox.stats()).hung).toBe(1)
  })

  test('connection-refused closes the port until it is deleted', async () => {
    await mailbox.setFault({ reply: 'connection-refused' })
    await expect(mailer.sendMail(mail(ANN))).rejects.toMatchObject({ code: expect.stringMatching(/ECONN|ESOCKET/) })
    await mailbox.clearFault()
    await mailer.sendMail(mail(ANN))
    expect(await mailbox.summaries()).toHaveLength(1)
  })

  test('hits as often as it says, and messages to its address alone', async () => {
    await mailbox.setFault({ reply: 'reject', times: 2, to: 'Ann@example.test' })
    await mailer.sendMail(mail('bo@example.test'))
    for (let count = 0; count < 2; count++) await expect(mailer.sendMail(mail(ANN))).rejects.toThrow()
    await mailer.sendMail(mail(ANN))
    expect(await mailbox.fault()).toMatchObject({ reply: 'reject', seen: 2, hits: 2 })
    expect(await mailbox.stats()).toMatchObject({ attempts: 4, accepted: 2, rejected: 2 })
  })

  test('of every fifth message hits exactly these, attempts to send again included', async () => {
    await mailbox.setFault({ reply: 'busy', every: 5 })
    const deliver = async (address: string): Promise<number> => {
      for (let attempt = 1; ; attempt++) if (await mailer.sendMail(mail(address)).catch(() => null)) return attempt
    }
    const attempts = await Promise.all(Array.from({ length: 100 }, (_, index) => deliver(`pilot${index}@example.test`)))
    const total = attempts.reduce((sum, count) => sum + count, 0)
    expect(total).toBe(124)
    expect(await mailbox.fault()).toMatchObject({ seen: total, hits: 24 })
    expect(await mailbox.stats()).toMatchObject({ attempts: total, accepted: 100, busy: 24, kept: 100 })
    expect(new Set((await mailbox.summaries()).flatMap(({ to }) => to)).size).toBe(100)
  })

  test('that does not exist is refused with a sentence', async () => {
    await expect(mailbox.setFault({ reply: 'hang', code: 451 })).rejects.toThrow('hang has no code.')
    await expect(mailbox.setFault({ reply: 'busy', code: 550 })).rejects.toThrow('The code of busy is like 451.')
    for (const fault of [{}, { reply: 'melt' }, { reply: 'busy', every: 0 }, { reply: 'busy', evry: 2 }]) {
      await expect(mailbox.setFault(fault as never)).rejects.toThrow('400')
    }
    expect(await mailbox.fault()).toBeNull()
  })
})
