import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { styleText } from 'node:util'
import { prettyFactory } from 'pino-pretty'

const COLOURS = ['cyan', 'magenta', 'yellow', 'green', 'blue', 'cyanBright', 'magentaBright', 'yellowBright'] as const
/** One more than the longest name of a component. */
const NAME_WIDTH = 20
const pretty = prettyFactory({
  colorize: process.stdout.isTTY,
  translateTime: 'SYS:HH:MM:ss',
  ignore: 'pid,hostname,name,requestId,traceId,spanId',
  singleLine: true,
})
const knownNames: string[] = []

/** Prints one line after the name of the process that it is from. */
export function printLine(name: string, line: string): void {
  if (!knownNames.includes(name)) knownNames.push(name)
  const colour = COLOURS[knownNames.indexOf(name) % COLOURS.length] ?? 'cyan'
  process.stdout.write(`${styleText(colour, linePrefix(name), { stream: process.stdout })} ${line}\n`)
}

/** What stands before each line of a process. */
export function linePrefix(name: string): string {
  return `${name.padEnd(NAME_WIDTH)}|`
}

/** Prints the output of a process line by line: pino's JSON as readable text, anything else unchanged. */
export function relayOutput(name: string, stream: Readable | null): void {
  if (!stream) return
  createInterface({ input: stream }).on('line', (line) => relayLine(name, line))
}

/** Prints one line of a process, as `relayOutput` does. */
export function relayLine(name: string, line: string): void {
  if (line.trim() === '') return
  printLine(name, line.startsWith('{') ? pretty(line).trimEnd() : line)
}

/** The URL at which a browser opens the page of a stand-in: it leaves the key in a cookie. */
export function pageUrl(url: string, key: string): string {
  return `${url}/?key=${key}`
}

/** URLs of the pages of the stand-ins that run. */
export interface StandInPages {
  partnerSandbox?: string
  mailbox?: string
}

/** Tells where a local system's print orders and mails end. */
export function describePages({ partnerSandbox, mailbox }: StandInPages): string {
  const { PARTNER_PRODUCTION_URL, PARTNER_SANDBOX_URL, SMTP_URL } = process.env
  const orders = partnerSandbox
    ? `Partner sandbox (nothing is printed): ${partnerSandbox}`
    : `Print orders go to the partner: ${PARTNER_SANDBOX_URL || PARTNER_PRODUCTION_URL}`
  const mails = mailbox
    ? `Mailbox (all mails come here): ${mailbox}`
    : `Mails go to the mail server ${new URL(SMTP_URL ?? '').host}`
  return `${orders}\n${mails}`
}
