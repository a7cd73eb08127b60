import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from './client.ts'

/** Sends these bytes on a connection of their own and returns what comes within the time, or until it closes. */
export async function sendRaw(client: Client, text: string, waitMs = 700): Promise<string> {
  const socket = client.connect()
  let received = ''
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1')
  })
  socket.write(text, 'latin1')
  await Promise.race([once(socket, 'close'), delay(waitMs)])
  socket.destroy()
  return received
}

/** The statuses of the responses in it, in their order. */
export function statusesIn(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}
