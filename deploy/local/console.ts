import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { styleText } from 'node:util'
import { prettyFactory } from 'pino-pretty'

const colours = ['cyan', 'magenta', 'yellow', 'green', 'blue', 'cyanBright', 'magentaBright', 'yellowBright'] as const
const pretty = prettyFactory({
  colorize: process.stdout.isTTY,
  translateTime: 'SYS:HH:MM:ss',
  ignore: 'pid,hostname,name,requestId,traceId,spanId',
  singleLine: true,
})
const known: string[] = []

/** Prints one line under the name of the process that said it. */
export function say(name: string, line: string): void {
  if (!known.includes(name)) known.push(name)
  const colour = colours[known.indexOf(name) % colours.length] ?? 'cyan'
  const prefix = styleText(colour, `${name.padEnd(9)}|`, { stream: process.stdout })
  process.stdout.write(`${prefix} ${line}\n`)
}

/** Prints what a process writes, line by line: pino's JSON made readable, anything else as it is. */
export function relayOutput(name: string, stream: Readable | null): void {
  if (!stream) return
  createInterface({ input: stream }).on('line', (line) => relayLine(name, line))
}

/** The same for one line. */
export function relayLine(name: string, line: string): void {
  if (line.trim() === '') return
  say(name, line.startsWith('{') ? pretty(line).trimEnd() : line)
}
