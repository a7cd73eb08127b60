import { parseArgs, styleText } from 'node:util'
import { fromBinary, toJsonString } from '@bufbuild/protobuf'
import type { NatsConnection } from '@nats-io/transport-node'
import { events } from '@skyfolio/proto'
import { ConfigError, loadConfig } from '../process/config.ts'
import { natsSettings } from '../process/settings.ts'
import { type DeadLetter, deadLetters, discard, redeliver } from './dead-letters.ts'
import { connectNats } from './nats-connection.ts'

const USAGE = `Events that a consumer could not handle.

  list    [--consumer NAME] [--subject SUBJECT]           each with its age and error, and the counts
  show    SEQUENCE [--data]                               one in full; --data: with the event
  retry   SEQUENCE... | --all [--consumer] [--subject]    redelivers them to their consumer
  discard SEQUENCE... | --all [--consumer] [--subject]    removes them permanently; needs --yes

Requires NATS_URL, and NATS_CREDENTIALS_FILE where it is used.
`
const CONNECT_WITHIN_MS = 15_000

class UsageError extends Error {}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        consumer: { type: 'string' },
        subject: { type: 'string' },
        all: { type: 'boolean', default: false },
        data: { type: 'boolean', default: false },
        yes: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

type Flags = ReturnType<typeof parse>['values']

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** The dead letters with these numbers, or all that the filter matches. */
async function* chosen(nats: NatsConnection, numbers: string[], flags: Flags): AsyncGenerator<DeadLetter> {
  if (flags.all === numbers.length > 0) throw new UsageError('Pass the numbers of dead letters, or --all.')
  const requested = new Set(numbers.map(Number))
  for await (const letter of deadLetters(nats, flags)) {
    if (flags.all || requested.delete(letter.sequence)) yield letter
  }
  if (requested.size > 0) throw new Error(`There is no dead letter ${[...requested].join(', ')}.`)
}

function age(at: Date): string {
  const minutes = Math.round((Date.now() - at.getTime()) / 60_000)
  if (minutes < 120) return `${minutes} min`
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} days`
}

function describe({ sequence, consumer, subject, at, attempts, error }: DeadLetter): string {
  const reason = error.split(' | ')[0]?.slice(0, 120)
  return `${String(sequence).padStart(8)}  ${age(at).padEnd(8)} ${consumer}  ${subject}  ${attempts} attempts  ${reason}`
}

async function list(nats: NatsConnection, flags: Flags): Promise<void> {
  const counts = new Map<string, number>()
  for await (const letter of deadLetters(nats, flags)) {
    print(describe(letter))
    const kind = `${letter.consumer}  ${letter.subject}`
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  if (counts.size === 0) return print('There are no dead letters.')
  print('')
  for (const [kind, count] of counts) print(`${String(count).padStart(8)}  ${kind}`)
}

function dataOf({ subject, data }: DeadLetter): string {
  const topic = Object.values(events).find((event) => event.subject === subject)
  try {
    if (topic) return toJsonString(topic.schema, fromBinary(topic.schema, data), { prettySpaces: 2 })
  } catch {
    // The consumer could not decode it either.
  }
  return `${data.length} bytes that this release cannot decode: ${Buffer.from(data).toString('base64')}`
}

async function show(nats: NatsConnection, numbers: string[], flags: Flags): Promise<void> {
  if (numbers.length !== 1) throw new UsageError('Pass the number of one dead letter.')
  for await (const letter of chosen(nats, numbers, { ...flags, all: false })) {
    const { sequence, consumer, subject, at, attempts, headers } = letter
    print(`${styleText('bold', `Dead letter ${sequence}`, { stream: process.stdout })}\n`)
    const facts = { consumer, subject, 'dead since': at.toISOString(), attempts, ...headers, 'Skyfolio-Error': '' }
    for (const [name, value] of Object.entries(facts)) if (value !== '') print(`${name}: ${value}`)
    print(`\n${letter.error.replaceAll(' | ', '\n  ')}`)
    if (flags.data) print(`\n${dataOf(letter)}`)
  }
}

async function redeliverAll(nats: NatsConnection, numbers: string[], flags: Flags): Promise<void> {
  let count = 0
  for await (const letter of chosen(nats, numbers, flags)) {
    await redeliver(nats, letter)
    count += 1
  }
  print(`Redelivered: ${count}. An event that fails again becomes a new dead letter.`)
}

async function discardAll(nats: NatsConnection, numbers: string[], flags: Flags): Promise<void> {
  let count = 0
  for await (const letter of chosen(nats, numbers, flags)) {
    if (flags.yes) await discard(nats, letter)
    else print(describe(letter))
    count += 1
  }
  print(flags.yes ? `Removed permanently: ${count}.` : `${count} would be removed permanently. Confirm with --yes.`)
}

const commands = {
  list: (nats: NatsConnection, _numbers: string[], flags: Flags) => list(nats, flags),
  show,
  retry: redeliverAll,
  discard: discardAll,
}

async function main(): Promise<void> {
  const { values: flags, positionals } = parse(process.argv.slice(2))
  const [name = '', ...numbers] = positionals
  const command = commands[name as keyof typeof commands]
  if (!command || numbers.some((number) => !/^\d+$/.test(number)))
    throw new UsageError(`Unknown command: ${positionals.join(' ')}`)
  const config = loadConfig(natsSettings, process.env)
  const timer = setTimeout(() => fail('NATS cannot be reached, or rejects these credentials.', 1), CONNECT_WITHIN_MS)
  const nats = await connectNats(config.natsUrl, 'dead-letters', { credentialsFile: config.natsCredentialsFile })
  clearTimeout(timer)
  await command(nats, numbers, flags).finally(() => nats.close())
}

function fail(message: string, code: number): never {
  process.stderr.write(`${message}\n`)
  process.exit(code)
}

await main().catch((error) => {
  if (error instanceof UsageError) fail(`${error.message}\n\n${USAGE}`, 2)
  fail(error instanceof ConfigError ? error.message : String(error instanceof Error ? error.message : error), 1)
})
