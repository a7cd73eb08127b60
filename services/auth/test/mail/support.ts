import { createLifetime, createLogger, openPool } from '@skyfolio/kit'
import { type Mailbox, startMailbox } from '@skyfolio/mailbox'
import { createTestDatabase, startRedis, type TestServer, waitFor } from '@skyfolio/testkit'
import { openDatabase } from '../../src/database.ts'
import type { Mail, Prisma } from '../../src/generated/client.ts'
import { type MailSettings, readMailSettings } from '../../src/mail/mail-settings.ts'
import { type MailRequest, requestMail } from '../../src/mail/request-mail.ts'
import { SENDING_TIMES, type SendingTimes } from '../../src/mail/send-mail.ts'
import { startMailing } from '../../src/mail/start-mailing.ts'

export const ORIGIN = 'https://skyfolio.test'
export const FROM = 'Skyfolio <no-reply@skyfolio.test>'

export interface MailingOptions {
  smtpUrl?: string
  /** Replace those of the URL. */
  settings?: Partial<MailSettings>
  redisUrl?: string
  databaseUrl?: string
  times?: Partial<SendingTimes>
  /** Gets what is logged. */
  log?: string[]
}

/** A database of auth, a Redis and a mailbox of the test's own. Nothing sends mails before `start`. */
export async function openMailSystem() {
  const database = await createTestDatabase('auth')
  const pool = openPool(database.url)
  const db = openDatabase(pool)
  const redis: TestServer = await startRedis()
  const mailbox: Mailbox = await startMailbox()
  const running = new Set<() => Promise<unknown>>()
  let users = 0

  /** Starts what sends mails, in this process. Returns how to stop it. */
  async function start(options: MailingOptions = {}): Promise<() => Promise<unknown>> {
    const ownPool = openPool(options.databaseUrl ?? database.url)
    const log = options.log
    const logger = log ? createLogger('mailing', 'debug', { write: (line) => void log.push(line) }) : undefined
    const life = createLifetime(logger ?? createLogger('mailing', 'silent'))
    life.defer('pool', () => ownPool.end())
    const settings = readMailSettings({ smtpUrl: options.smtpUrl ?? mailbox.smtpUrl, mailFrom: FROM })
    if (!settings) throw new Error('mail is configured')
    startMailing(life, openDatabase(ownPool), {
      settings: { ...settings, ...options.settings },
      redisUrl: options.redisUrl ?? redis.url,
      publicOrigin: ORIGIN,
      drainSeconds: 5,
      scanSeconds: 0.05,
      times: { ...SENDING_TIMES, ...options.times },
    })
    const stop = async () => {
      running.delete(stop)
      await life.close()
    }
    running.add(stop)
    return stop
  }

  return {
    db,
    pool,
    redis,
    mailbox,
    databaseUrl: database.url,
    start,
    async stopAll() {
      await Promise.all([...running].map((stop) => stop()))
    },
    /** A user with a confirmed address of its own. */
    addUser(fields: Partial<Prisma.UserCreateInput> = {}) {
      users += 1
      const username = fields.username ?? `pilot${users}`
      return db.user.create({
        data: {
          username,
          usernameKey: `${username.toLowerCase()}-${users}`,
          passwordHash: 'none',
          email: `pilot${users}@example.com`,
          emailConfirmed: true,
          ...fields,
        },
      })
    },
    request: (request: MailRequest) => db.$transaction((tx) => requestMail(tx, request)),
    mails: () => db.mail.findMany({ orderBy: { seq: 'asc' } }),
    /** Waits until the only mail of the table has this status; deletes it. */
    async settled(status: string, timeoutMs?: number): Promise<Mail> {
      const mail = await waitFor(() => db.mail.findFirst({ where: { status } }), {
        what: `a mail is ${status}`,
        ...(timeoutMs && { timeoutMs }),
      })
      await db.mail.deleteMany({})
      return mail
    },
    async close() {
      await this.stopAll()
      await mailbox.stop()
      await redis.stop()
      await pool.end()
      await database.drop()
    },
  }
}

export type MailSystem = Awaited<ReturnType<typeof openMailSystem>>

/** The link with a token in a mail. */
export function tokenIn({ text }: { text: string }, page: string): string {
  return new RegExp(`${ORIGIN}/${page}#token=([\\w-]{43})\\b`).exec(text)?.[1] ?? ''
}
